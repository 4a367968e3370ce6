#pragma once
// Tokens of a text, as places in it: found one by one, or as runs of bits (token_bits.cc).
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace frond::text {

// Longer words are cut into pieces of at most this, between code points.
inline constexpr std::size_t kMaxTokenBytes = 255;

// A token: bytes [begin, end) of the text.
struct TokenSpan {
  std::size_t begin = 0, end = 0;
  friend bool operator==(const TokenSpan&, const TokenSpan&) = default;
};

// Which characters are in tokens: letters and digits only; or also, for standard3, raised and lowered digits, which
// belong to the word before them but to no other digit, and symbols (unicode.h), a grapheme cluster each.
enum class TokenRules : bool { kWords, kWordsAndSymbols };

// The next token at or after `from`; empty, at the end of the text, if there is none.
TokenSpan next_token(std::string_view text, std::size_t from, TokenRules rules = TokenRules::kWords);

// Which bytes of a text belong to words, found with vector instructions, 64 bytes at a time. Exact where a text is
// ASCII; elsewhere it says where the rules for whole code points must decide (next_token.cc).

// Bits of 64 bytes of a text; bit 0 is the first byte.
struct TokenBits {
  std::uint64_t words = 0;   // ASCII letters, digits and underscores
  std::uint64_t inside = 0;  // the same, and ASCII characters that are inside a word between two letters or digits
  std::uint64_t odd = 0;     // bytes >= 0x80, and ASCII characters before one that might be inside a word
  std::uint64_t slow = 0;    // odd, and underscores: without these, words are the runs of `inside`
  // What might make more of a word than a term (term_spans.h): characters inside it that are not of `words`, its first
  // character if there is a dot before it, and any of @&+#.
  std::uint64_t care = 0;
};

// For the 64 bytes from 64 * first_block on, and so on for `blocks` blocks; bytes outside the text count as spaces.
void find_token_bits(std::string_view text, std::size_t first_block, std::size_t blocks, TokenBits* bits);

// Writes base + i for each bit i of `bits`, 64 of them a number, in order, and returns how many. `places` has room for
// kMorePlaces more.
inline constexpr std::size_t kMorePlaces = 16;
std::size_t find_places(const std::uint64_t* bits, std::size_t numbers, std::uint32_t base, std::uint32_t* places);

// All tokens of a text: those that next_token() finds one after the other, where most of the text is ASCII 2.5 times as
// fast. Words of ASCII characters come from TokenBits; a word that touches another byte, is very long, or
// begins with an underscore is left to next_token().
inline constexpr std::size_t kNoWord = ~std::size_t{0};
inline constexpr std::size_t kMostRunBlocks = 32;  // that a sink is given at once

// One thread; a text is cut by one object.
template <class Sink>
class TokenCutter {
 public:
  // sink(TokenSpan) is called for each token, in order. Of a sink that has them, these are called instead:
  // plain(TokenSpan, bool may_have_joints) for tokens of ASCII characters, joints being what is no letter or digit;
  // odd(TokenSpan) for any; simple(TokenSpan) for
  // those of letters and digits with neither a dot before them nor one of @&+# behind. A sink that has it is given most
  // words as bits: runs(base, begins, ends, blocks, open), bits of so many times 64 characters from `base` on; `open`:
  // where a word began that the first end belongs to, or kNoWord. A begin without an end comes again as `open`.
  // from: where tokens begin; a token may end there.
  TokenCutter(std::string_view text, Sink& sink, TokenRules rules = TokenRules::kWords, std::size_t from = 0)
      : text_(text), sink_(sink), rules_(rules), at_(from) {}

  void cut() {
    std::array<TokenBits, kWindowBlocks> window;
    const std::size_t blocks = (text_.size() + 63) / 64;
    for (std::size_t first = 0; first < blocks; first += kWindowBlocks) {
      const std::size_t count = std::min(kWindowBlocks, blocks - first);
      find_token_bits(text_, first, count, window.data());
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t base = (first + i) * 64;
        if constexpr (kTakesRuns) {
          if (const std::size_t given = give_runs(base, std::span(window).subspan(i, count - i)); given > 0) {
            i += given - 1;
            continue;
          }
        }
        if (window[i].slow == 0 && at_ <= base && !begins_inside(window[i])) [[likely]]
          cut_runs(base, window[i]);
        else
          cut_block(base, window[i]);
      }
    }
    if (open_ != kNone) end_word(text_.size(), false);
  }

 private:
  static constexpr std::size_t kWindowBlocks = kMostRunBlocks;
  static constexpr std::size_t kNone = kNoWord;
  static constexpr bool kTakesRuns = requires(Sink & sink, const std::uint64_t* bits) {
    sink.runs(0, bits, bits, 0, 0);
  };
  static constexpr bool kTellsApart = requires(Sink & sink, TokenSpan token) { sink.odd(token); };

  // A character inside words is the first one, and no word is open: it was longer than tokens are, and cut there.
  bool begins_inside(const TokenBits& bits) const { return (bits.inside & ~bits.words & 1) != 0 && open_ == kNone; }

  // Gives the sink the words of the first blocks, as far as every run of bits is a word, and none of them is long.
  // Returns how many.
  std::size_t give_runs(std::size_t base, std::span<const TokenBits> window) {
    std::array<std::uint64_t, kWindowBlocks> begins, ends;
    const std::size_t open_before = open_, first = base;
    std::size_t blocks = 0;
    for (; blocks < window.size(); ++blocks, base += 64) {
      const TokenBits& bits = window[blocks];
      const std::uint64_t inside = bits.inside;
      const bool is_long = inside == ~std::uint64_t{0} || (open_ != kNone && base - open_ > 64);
      if (bits.slow != 0 || at_ > base || is_long || begins_inside(bits)) [[unlikely]]
        break;
      const std::uint64_t before = inside << 1 | (open_ != kNone ? 1 : 0);
      begins[blocks] = inside & ~before;
      ends[blocks] = ~inside & before;
      open_ = inside >> 63 == 0 ? kNone : base + 63 - static_cast<unsigned>(std::countl_zero(begins[blocks]));
    }
    if (blocks > 0) sink_.runs(first, begins.data(), ends.data(), blocks, open_before);
    return blocks;
  }
  // A block in which every run of bits is a word.
  void cut_runs(std::size_t base, const TokenBits& bits) {
    const std::uint64_t inside = bits.inside;
    const std::uint64_t before = inside << 1 | (open_ != kNone ? 1 : 0);
    std::uint64_t begins = inside & ~before, ends = ~inside & before;
    // Ends of words with a bit of care: in a run, adding a bit of it makes a carry just behind the run.
    std::uint64_t care = 0;
    if constexpr (kTellsApart) care = ((inside + (bits.care & inside)) | bits.care) & ends;
    if (open_ != kNone) {
      if (inside == ~std::uint64_t{0}) return note_joints(bits);
      note_joints(bits);
      end_word(base + static_cast<std::size_t>(std::countr_zero(ends)), false);
      ends &= ends - 1;
    }
    for (; ends != 0; ends &= ends - 1, begins &= begins - 1) {
      const auto end = static_cast<unsigned>(std::countr_zero(ends));
      const TokenSpan token{base + static_cast<unsigned>(std::countr_zero(begins)), base + end};
      if constexpr (!kTellsApart)
        sink_(token);
      else if ((care >> end & 1) == 0) [[likely]]
        sink_.simple(token);
      else
        sink_.plain(token, true);
    }
    if (begins == 0) return;
    open_ = base + static_cast<unsigned>(std::countr_zero(begins));  // it goes on in the next block
    joints_ = 0;
    note_joints(bits);
  }
  void cut_block(std::size_t base, const TokenBits& bits) {
    if (open_ != kNone) {
      if (bits.inside == ~std::uint64_t{0}) return note_joints(bits);
      end_word_at(base, bits, static_cast<std::size_t>(std::countr_one(bits.inside)));
    }
    while (at_ < base + 64) {
      const std::uint64_t left = at_ > base ? ~std::uint64_t{0} << (at_ - base) : ~std::uint64_t{0};
      const std::uint64_t candidates = (bits.words | bits.odd) & left;
      if (candidates == 0) return;
      const auto begin = static_cast<std::size_t>(std::countr_zero(candidates));
      if ((bits.odd >> begin & 1) != 0 || text_[base + begin] == '_') {
        cut_slowly(base + begin);
        continue;
      }
      open_ = base + begin;
      joints_ = 0;
      const std::uint64_t outside = ~bits.inside & ~std::uint64_t{0} << begin;
      if (outside == 0) return note_joints(bits);  // it goes on in the next block
      end_word_at(base, bits, static_cast<std::size_t>(std::countr_zero(outside)));
    }
  }
  void note_joints(const TokenBits& bits) {
    if constexpr (kTellsApart) joints_ |= (bits.inside & ~bits.words) | (bits.slow & ~bits.odd);
  }
  void end_word_at(std::size_t base, const TokenBits& bits, std::size_t end) {
    note_joints(bits);
    end_word(base + end, (bits.odd >> end & 1) != 0);
  }
  // The word that began at open_ ends at `end`, unless the character there is odd.
  void end_word(std::size_t end, bool odd) {
    const std::size_t begin = open_;
    open_ = kNone;
    if (!odd && end - begin <= kMaxTokenBytes) {
      at_ = end;
      if constexpr (kTellsApart)
        sink_.plain(TokenSpan{begin, end}, joints_ != 0);
      else
        sink_(TokenSpan{begin, end});
      return;
    }
    at_ = begin;
    while (at_ < end) cut_slowly(at_);
  }
  // One token at or after `from`.
  void cut_slowly(std::size_t from) {
    const TokenSpan token = next_token(text_, from, rules_);
    at_ = token.end;  // of the text, if there is none
    if (token.begin == token.end) return;
    if constexpr (kTellsApart)
      sink_.odd(token);
    else
      sink_(token);
  }

  const std::string_view text_;
  Sink& sink_;
  const TokenRules rules_;
  std::size_t at_;            // tokens before it were found
  std::size_t open_ = kNone;  // where the word at hand began
  std::uint64_t joints_ = 0;  // characters inside words, in the blocks where the word at hand is
};

// sink(TokenSpan) for every token of `text`, in order.
template <class Sink>
void for_each_token(std::string_view text, Sink&& sink) {
  TokenCutter<std::remove_reference_t<Sink>>(text, sink).cut();
}

}  // namespace frond::text
