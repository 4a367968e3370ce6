// For the analyzer standard; the others: span_matches.h. Candidates are where vector instructions find three bytes of a
// term's prefix (token_prefix.h, prefix_scan.h). A token is cut and asked for its term only where the whole prefix is
// there. Where a token begins is known from the byte before in most texts; else tokens are cut from the last character
// that is certainly in none.
#include "common/text/term_matches.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/text/asked_terms.h"
#include "common/text/prefix_scan.h"
#include "common/text/span_matches.h"
#include "common/text/token_prefix.h"
#include "common/text/utf8.h"
#include "common/text/wanted_words.h"
#include "common/text/word_class.h"

namespace frond::text {
namespace {

// The distinct terms, in order; without "".
std::vector<std::string_view> distinct(std::span<const std::string> terms) {
  std::vector<std::string_view> all;
  all.reserve(terms.size());
  for (const std::string& term : terms)
    if (!term.empty() && std::ranges::find(all, term) == all.end()) all.push_back(term);
  return all;
}

// Such a character is in no token, and what follows is cut as if the text began there.
bool separates(char c) { return is_ascii(c) && kAsciiWordClass[static_cast<unsigned char>(c)] == WordClass::kBreak; }

// The class of the code point that ends before `at`, of which the last byte is not ASCII.
WordClass class_before(std::string_view text, std::size_t at) {
  std::size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) --begin;
  const CodePoint c = decode_utf8(text.substr(0, at), begin);
  return c.bytes == at - begin ? word_class_of(c.value) : WordClass::kBreak;  // bytes that are not UTF-8
}

class Finder {
 public:
  Finder(Analyzer& analyzer, std::string_view text, std::span<const std::string_view> terms, const WantedWords& wanted)
      : text_(text), asked_(analyzer, terms), wanted_(wanted) {}

  std::vector<TermMatch> find() && {
    matches_.reserve(64);
    ScanBits bits, high;
    ScanPlaces places;
    for (std::size_t from = 0; from < text_.size(); from += kScanBytes) {
      const std::size_t part = std::min(kScanBytes, text_.size() - from), blocks = (part + 63) / 64;
      if (find_triples(text_, from, wanted_.triples(), bits, high))
        wanted_.for_each_rare_letter(text_, from, from + part, [&](std::size_t at) {
          bits[(at - from) / 64] |= std::uint64_t{1} << (at - from) % 64;
        });
      for (const std::size_t place : places_of(bits, blocks, places)) look_at(from + place);
    }
    return std::move(matches_);
  }

 private:
  void look_at(std::size_t at) {
    if (at < done_) return;
    if (!is_ascii(text_[at]) && WantedWords::is_rare_letter(text_, at)) return ask(token_around(at));
    if (!wanted_.may_begin_at(text_, at) || !token_begins_at(at)) return;
    const TokenSpan token = next_token(text_, at);
    if (token.begin == at) ask(token);
  }

  bool token_begins_at(std::size_t at) {
    if (at == 0) return true;
    const char before = text_[at - 1];
    if (separates(before)) return true;
    if (!is_ascii(text_[at]) && word_class_of(decode_utf8(text_, at).value) == WordClass::kAlone) return true;
    if (!is_ascii(before)) {
      const WordClass cls = class_before(text_, at);
      if (cls == WordClass::kBreak || cls == WordClass::kAlone) return true;
    } else if (is_ascii(text_[at]) && kAsciiWordClass[static_cast<unsigned char>(before)] < WordClass::kExtend) {
      // In the middle of a word, unless tokens were cut before because they got too long.
      std::size_t begin = at;
      while (begin > 0 && at - begin < kMaxTokenBytes && !separates(text_[begin - 1])) --begin;
      if (at - begin < kMaxTokenBytes) return false;
    }
    return token_around(at).begin == at;
  }

  // The token that contains text_[at]; empty if there is none. Tokens are cut from the last place before at which one
  // begins for certain; `at` does not decrease from call to call, so this takes time in proportion to the text.
  TokenSpan token_around(std::size_t at) {
    boundary_ = std::max(boundary_, done_);
    if (at < boundary_) return {};
    std::size_t from = at;
    while (from > boundary_ && !separates(text_[from - 1])) --from;
    for (;;) {
      const TokenSpan token = next_token(text_, from);
      boundary_ = token.begin;
      if (token.begin > at || token.begin == token.end) return {};
      if (token.end > at) return token;
      from = token.end;
    }
  }

  void ask(TokenSpan where) {
    if (where.begin == where.end) return;
    done_ = where.end;
    const std::uint32_t term = asked_.position_of(text_.substr(where.begin, where.end - where.begin));
    if (term < asked_.size()) matches_.push_back({where, term});
  }

  const std::string_view text_;
  AskedTerms asked_;
  const WantedWords& wanted_;
  std::vector<TermMatch> matches_;
  std::size_t done_ = 0;      // no token that begins before it is asked again
  std::size_t boundary_ = 0;  // tokens can be cut from here
};

// Terms may overlap: a match begins where the one before it ends.
std::vector<TermMatch> cut_apart(std::vector<TermMatch> matches) {
  std::ranges::stable_sort(matches, [](const TermMatch& a, const TermMatch& b) {
    return a.where.begin != b.where.begin ? a.where.begin < b.where.begin : a.where.end > b.where.end;
  });
  std::size_t end = 0;
  for (TermMatch& match : matches) {
    match.where.begin = std::min(std::max(match.where.begin, end), match.where.end);
    end = std::max(end, match.where.end);
  }
  std::erase_if(matches, [](const TermMatch& match) { return match.where.begin == match.where.end; });
  return matches;
}

std::vector<TermMatch> cut_everything(Analyzer& analyzer, std::string_view text,
                                      std::span<const std::string_view> terms) {
  std::vector<TermMatch> matches;
  analyzer.analyze(text, [&](std::string_view term, TokenSpan where) {
    const auto found = std::ranges::find(terms, term);
    if (found != terms.end()) matches.push_back({where, static_cast<std::uint32_t>(found - terms.begin())});
  });
  return cut_apart(std::move(matches));
}

}  // namespace

std::vector<TermMatch> find_terms(Analyzer& analyzer, std::string_view text, std::span<const std::string> terms) {
  const std::vector<std::string_view> wanted_terms = distinct(terms);
  if (wanted_terms.empty()) return {};
  if (analyzer.config().kind != AnalyzerKind::kStandard) {
    auto found = find_spans(analyzer, text, wanted_terms);
    return found ? cut_apart(*std::move(found)) : cut_everything(analyzer, text, wanted_terms);
  }
  WantedWords wanted(wanted_terms.size());
  for (const std::string_view term : wanted_terms) {
    const std::optional<TokenPrefix> prefix = token_prefix(analyzer.config(), term);
    if (!prefix) return cut_everything(analyzer, text, wanted_terms);
    wanted.add(*prefix);
  }
  if (wanted.triples().size() > WantedWords::kMaxTriples) return cut_everything(analyzer, text, wanted_terms);
  return Finder(analyzer, text, wanted_terms, wanted).find();
}

std::vector<TermMatch> find_terms_plainly(Analyzer& analyzer, std::string_view text,
                                          std::span<const std::string> terms) {
  const std::vector<std::string_view> wanted_terms = distinct(terms);
  return wanted_terms.empty() ? std::vector<TermMatch>() : cut_everything(analyzer, text, wanted_terms);
}

}  // namespace frond::text
