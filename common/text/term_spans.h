#pragma once
// The parts of a text that become terms under the analyzer standard2. They may overlap. Most are the tokens of
// token_cutter.h; besides:
//   - In scripts that are written without spaces, and in Korean, where words have endings, each two characters side by
//     side are a term ("서울에서": 서울, 울에, 에서), and so is a run of one character. So a query finds each text that
//     contains it, and hardly any other. Characters of these scripts and others in one token are cut apart.
//   - Words joined by dots, mail addresses and short names with & are one term (node.js, user@example.com, AT&T); C++,
//     C# and .NET are terms, too.
// A query's terms are the `main` spans. Of documents the parts of the joined words are terms as well, and so are single
// Chinese characters and the first syllable of Korean words, so that queries of these alone find them. Each of them
// counts in the document's length.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "common/text/token_cutter.h"
#include "common/text/token_span.h"
#include "common/text/utf8.h"

namespace frond::text {

// A character of a script that is cut into pairs of characters, with what extends it.
struct Gram {
  enum class Script : std::uint8_t { kNone, kIdeograph, kHangul, kOther };
  std::size_t begin = 0, end = 0;
  Script script = Script::kNone;
};
// The next gram of text[from, end), where `end` is a token's end. Its begin and end are `end` if there is none.
Gram next_gram(std::string_view text, std::size_t from, std::size_t end);
// [begin, end) of a text without what is no letter or digit at its ends; empty if there are none.
TokenSpan between_letters(std::string_view text, std::size_t begin, std::size_t end);

// What stands around an ASCII or other word that belongs to the term.
struct Surroundings {
  std::size_t begin = 0, end = 0;  // the word, "." before it, "++" or "#" after it
  bool joined = false;             // the next word belongs to the same term; it begins at end + 1
};
Surroundings surroundings(std::string_view text, TokenSpan word);

// Takes tokens in order, from TokenCutter or next_token(), and calls sink(TokenSpan, bool main). One thread.
template <class Sink>
class SpanCutter {
 public:
  SpanCutter(std::string_view text, Sink& sink) : text_(text), sink_(sink) {}

  // A token of ASCII characters. may_have_dots: whether there may be some inside.
  void plain(TokenSpan token, bool may_have_dots) {
    if (grams_ != 0) end_run();
    const unsigned char before = token.begin > 0 ? static_cast<unsigned char>(text_[token.begin - 1]) : ' ';
    const unsigned char after = token.end < text_.size() ? static_cast<unsigned char>(text_[token.end]) : ' ';
    if (open_ || may_have_dots || before == '.' || kAfter[after]) return word(token);
    sink_(token, true);
  }
  // A token of ASCII letters and digits with neither a dot before it nor one of @&+# behind.
  void simple(TokenSpan token) {
    if (open_ || grams_ != 0) return plain(token, false);
    sink_(token, true);
  }
  // Any token.
  void odd(TokenSpan token) {
    std::size_t at = token.begin;
    Gram gram = next_gram(text_, at, token.end);
    if (gram.begin == token.end) {
      if (grams_ != 0) end_run();
      return word(token);
    }
    for (; gram.begin != token.end; gram = next_gram(text_, at, token.end)) {
      if (gram.begin > at) piece(at, gram.begin);
      add(gram);
      at = gram.end;
    }
    if (at < token.end) piece(at, token.end);
  }
  void finish() {
    if (grams_ != 0) end_run();
    if (open_) close(joined_end_);
  }

 private:
  static constexpr auto kAfter = [] {
    std::array<bool, 256> table{};
    for (const char c : {'@', '&', '+', '#'}) table[static_cast<unsigned char>(c)] = true;
    return table;
  }();

  void piece(std::size_t begin, std::size_t end) {
    const TokenSpan trimmed = between_letters(text_, begin, end);
    if (trimmed.begin == trimmed.end) return;
    if (grams_ != 0) end_run();
    word(trimmed);
  }
  void word(TokenSpan token) {
    if (open_ && token.begin != joined_end_ + 1) close(joined_end_);
    const Surroundings around = surroundings(text_, token);
    const bool larger = around.begin != token.begin || around.end != token.end;
    const bool part = open_ || around.joined;
    if (larger) sink_(token, false);
    sink_({around.begin, around.end}, !part);
    dotted_parts(token);
    if (around.joined && !open_) {
      open_ = true;
      open_begin_ = around.begin;
    }
    joined_end_ = around.end;
    if (open_ && !around.joined) close(around.end);
  }
  void close(std::size_t end) {
    open_ = false;
    sink_({open_begin_, end_within(text_, open_begin_, end)}, true);
  }
  void dotted_parts(TokenSpan token) {
    const std::string_view all = text_.substr(0, token.end);
    for (std::size_t at = token.begin; at < token.end;) {
      const std::size_t dot = std::min(all.find('.', at), token.end);
      if (dot == token.end && at == token.begin) return;  // none
      if (dot > at) sink_({at, dot}, false);
      at = dot + 1;
    }
  }
  void add(Gram gram) {
    if (open_) close(joined_end_);
    if (grams_ != 0 && gram.begin != last_.end) end_run();
    if (grams_ != 0) {
      if (grams_ == 1 && last_.script != Gram::Script::kOther) sink_({last_.begin, last_.end}, false);
      sink_({last_.begin, gram.end}, true);
      if (gram.script == Gram::Script::kIdeograph) sink_({gram.begin, gram.end}, false);
    }
    last_ = gram;
    grams_ = grams_ == 0 ? 1 : 2;
  }
  void end_run() {
    if (grams_ == 1) sink_({last_.begin, last_.end}, true);
    grams_ = 0;
  }
  // `end`, or less where the span would be longer than tokens are.
  static std::size_t end_within(std::string_view text, std::size_t begin, std::size_t end) {
    return end - begin <= kMaxTokenBytes ? end : utf8_boundary(text, begin + kMaxTokenBytes);
  }

  const std::string_view text_;
  Sink& sink_;
  Gram last_;          // of the run of grams
  int grams_ = 0;      // in the run: 0, 1, or 2 for more
  bool open_ = false;  // the next word is joined to what begins at open_begin_
  std::size_t open_begin_ = 0;
  std::size_t joined_end_ = 0;  // of the last word
};

// sink(TokenSpan, bool main) for every span of `text`. Those of one place come together, not in the order of begins.
template <class Sink>
void for_each_span(std::string_view text, Sink&& sink) {
  SpanCutter<std::remove_reference_t<Sink>> spans(text, sink);
  TokenCutter<decltype(spans)>(text, spans).cut();
  spans.finish();
}

}  // namespace frond::text
