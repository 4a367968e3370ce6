// A token is asked for its term only if its first letters allow that. Where tokens may begin is found by vector
// instructions (word_starts.h); a candidate's surroundings, from the space before to the space after, are then cut as
// the analyzer does it, so the tokens are the same.
#include "common/text/term_matches.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "common/text/word_starts.h"

namespace frond::text {
namespace {

// Rules out most words that are none of the terms by their first two letters, since stemmers change only the ends of
// words. They may shorten a word to one letter, and replace y by i even as the second letter (dying, die). Only words
// that begin with an ASCII character can be ruled out.
class FirstLetters {
 public:
  void add(std::string_view term) {
    if (term.empty()) return;
    const std::uint32_t seconds = term.size() > 1 ? second(term[1]) : ~0u;
    seconds_[static_cast<unsigned char>(term[0])] |= seconds;
    if (seconds == ~0u) return want({term[0], 0});
    want({term[0], term[1]});
    if (term[1] == 'i') want({term[0], 'y'});
    if (term[1] == 'y') want({term[0], 'i'});
  }
  // The same for find_word_starts(); empty if there are too many.
  std::span<const FirstTwo> wanted() const {
    return std::span(wanted_).first(wanted_count_ <= wanted_.size() ? wanted_count_ : 0);
  }
  // `at`: where the token begins. What follows the token may be there or not.
  bool may_become_a_term(std::string_view text, std::size_t at) const {
    const char first = text[at];
    if (static_cast<unsigned char>(first) >= 0x80) return true;
    const std::uint32_t seconds = seconds_[static_cast<unsigned char>(lower(first))];
    return seconds != 0 && (at + 1 >= text.size() || (seconds & second(text[at + 1])) != 0);
  }

 private:
  void want(FirstTwo two) {
    if (wanted_count_ < wanted_.size()) wanted_[wanted_count_] = two;
    ++wanted_count_;
  }
  static char lower(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c); }
  // A bit for each ASCII letter, one for both i and y. All bits for what is no ASCII letter.
  static std::uint32_t second(char c) {
    const char letter = lower(c);
    if (letter < 'a' || letter > 'z') return ~0u;
    return 1u << ((letter == 'y' ? 'i' : letter) - 'a');
  }
  std::array<std::uint32_t, 256> seconds_{};  // by first character: the second letters of terms; 0: no term begins so
  std::array<FirstTwo, 12> wanted_{};         // more would cost more than they save
  std::size_t wanted_count_ = 0;
};

class Finder {
 public:
  Finder(Analyzer& analyzer, std::string_view text, std::span<const std::string> terms)
      : analyzer_(analyzer), text_(text) {
    for (const std::string& term : terms) {
      if (term.empty()) continue;
      numbers_.try_emplace(term, static_cast<std::uint32_t>(numbers_.size()));
      first_letters_.add(term);
    }
  }
  std::vector<TermMatch> find() && {
    if (numbers_.empty()) return {};
    constexpr std::size_t kPart = 64;  // of 64 bytes: their bits stay in the first cache
    std::array<WordBits, kPart> bits;
    for (std::size_t from = 0; from < text_.size(); from += 64 * kPart) {
      const std::string_view part = text_.substr(from, 64 * kPart);
      find_word_starts(part, first_letters_.wanted(), bits.data());
      for (std::size_t i = 0; i * 64 < part.size(); ++i) look_at(from + i * 64, bits[i]);
    }
    return std::move(matches_);
  }

 private:
  // The bits of the 64 bytes from `at` on.
  void look_at(std::size_t at, WordBits bits) {
    // A token is cut where it gets too long, so it may begin inside a word: a long word is cut whole.
    static_assert(kMaxTokenBytes > 2 * 64);
    const bool long_word = bits.spaces == 0 && had_no_space_;
    had_no_space_ = bits.spaces == 0;
    if (long_word && at >= done_) cut_around(at);
    for (std::uint64_t left = bits.starts; left != 0; left &= left - 1) {
      const std::size_t start = at + static_cast<std::size_t>(std::countr_zero(left));
      if (start < done_ || !first_letters_.may_become_a_term(text_, start)) continue;
      const std::uint64_t before = bits.spaces & ((left & -left) - 1);
      if (before != 0) after_space_ = at + 64 - static_cast<std::size_t>(std::countl_zero(before));
      cut_around(start);
    }
    if (bits.spaces != 0) after_space_ = at + 64 - static_cast<std::size_t>(std::countl_zero(bits.spaces));
  }
  // Asks the tokens between the space before `at`, and the next one.
  void cut_around(std::size_t at) {
    std::size_t end = at;
    while (end < text_.size() && static_cast<unsigned char>(text_[end]) > ' ') ++end;
    const std::string_view part = text_.substr(0, end);
    for (TokenSpan where = Analyzer::next_token(part, after_space_); where.begin != where.end;
         where = Analyzer::next_token(part, where.end)) {
      if (!first_letters_.may_become_a_term(text_, where.begin)) continue;
      const auto found = numbers_.find(analyzer_.term_of(part.substr(where.begin, where.end - where.begin)));
      if (found != numbers_.end()) matches_.push_back({where, found->second});
    }
    done_ = end;
  }

  Analyzer& analyzer_;
  const std::string_view text_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  FirstLetters first_letters_;
  std::vector<TermMatch> matches_;
  std::size_t after_space_ = 0;  // behind the last space before the current byte
  std::size_t done_ = 0;         // the text before it has been cut
  bool had_no_space_ = false;    // in the 64 bytes before
};

}  // namespace

std::vector<TermMatch> find_terms(Analyzer& analyzer, std::string_view text, std::span<const std::string> terms) {
  return Finder(analyzer, text, terms).find();
}

}  // namespace frond::text
