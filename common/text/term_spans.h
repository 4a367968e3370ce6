#pragma once
// The parts of a text that become terms under the analyzers standard2 and standard3. They may overlap. Most are the
// tokens of token_cutter.h; besides:
//   - In scripts that are written without spaces, and in Korean, where words have endings, each two characters side by
//     side are a term ("서울에서": 서울, 울에, 에서), and so is a run of one character. So a query finds each text that
//     contains it, and hardly any other. Characters of these scripts and others in one token are cut apart.
//   - Words joined by dots, mail addresses and short names with & are one term (node.js, user@example.com, AT&T); C++,
//     C# and .NET are terms, too.
//   - With standard3 the parts of a token are what stands between . : _ · and apostrophes before an ending, and with
//     split_case between capitals inside it (camelCase). Two to four parts side by side are a term, too. A token of
//     more parts is not: a query for it asks for each four of them, so that it finds longer tokens with the same parts.
//   - With standard3 symbols are terms, and the parts of those that are put together (👩‍💻 has 👩 and 💻).
// A query's terms are the `main` spans. Of documents the parts of the joined words are terms as well, and so are single
// Chinese characters and the first syllable of Korean words, so that queries of these alone find them. Each of them
// counts in the document's length.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "common/text/analyzer_config.h"
#include "common/text/token_cutter.h"
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

// How tokens are cut into parts.
struct SpanRules {
  bool standard3 = false;
  bool split_case = false;  // between a small letter or a digit and a capital, and before the last of several capitals
  bool endings = false;     // at apostrophes before them; not of Turkish, whose words have no others
};
SpanRules span_rules(const AnalyzerConfig& config);
constexpr TokenRules token_rules(SpanRules rules) {
  return rules.standard3 ? TokenRules::kWordsAndSymbols : TokenRules::kWords;
}

// The next part of a token at or behind `from`; empty, at `end`, the token's, if there is none.
TokenSpan next_part(std::string_view text, std::size_t from, std::size_t end, SpanRules rules);
// Whether a word is two to kMaxInitials letters with a dot between each two (U.S.A).
inline constexpr std::size_t kMaxInitials = 6;
bool are_initials(std::string_view word);

// Whether a token of standard3 is a symbol.
bool begins_with_symbol(std::string_view token);
// Whether a document only has the symbol as a term, as ™ behind a name, which people may leave out.
bool is_left_out(std::string_view text, TokenSpan symbol);
// The next symbol at or behind `from` that is a part of another one, with what says how it looks; empty, at the end, if
// there is none.
TokenSpan next_symbol_part(std::string_view symbol, std::size_t from);
// The end of a token without raised digits at its end, as far as they may be of a footnote; else that of the token.
std::size_t end_before_note(std::string_view text, TokenSpan token);

// What stands around an ASCII or other word that belongs to the term.
struct Surroundings {
  std::size_t begin = 0, end = 0;  // the word, "." before it, "++" or "#" after it
  bool joined = false;             // the next word belongs to the same term; it begins at end + 1
};
Surroundings surroundings(std::string_view text, TokenSpan word);

// Takes tokens in order, from TokenCutter or next_token(), by token_rules(rules), and calls sink(TokenSpan, bool main).
// One thread.
template <class Sink>
class SpanCutter {
 public:
  // The first token begins at `from` or behind; before it is the last gram of a run of several, if anything is.
  SpanCutter(std::string_view text, Sink& sink, SpanRules rules = {}, std::size_t from = 0)
      : text_(text), sink_(sink), rules_(rules), grams_(from > 0 ? 2 : 0) {
    last_.end = from;
  }

  // A token of ASCII characters. may_have_joints: whether some of them may be neither letters nor digits.
  void plain(TokenSpan token, bool may_have_joints) {
    if (grams_ != 0) end_run();
    const unsigned char before = token.begin > 0 ? static_cast<unsigned char>(text_[token.begin - 1]) : ' ';
    const unsigned char after = token.end < text_.size() ? static_cast<unsigned char>(text_[token.end]) : ' ';
    if (open_ || may_have_joints || before == '.' || kAfter[after] || rules_.split_case) return word(token);
    sink_(token, true);
  }
  // A token of ASCII letters and digits with neither a dot before it nor one of @&+# behind.
  void simple(TokenSpan token) {
    if (open_ || grams_ != 0 || rules_.split_case) return plain(token, false);
    sink_(token, true);
  }
  // Any token.
  void odd(TokenSpan token) {
    if (rules_.standard3 && begins_with_symbol(text_.substr(token.begin))) return symbol(token);
    std::size_t at = token.begin;
    Gram gram = next_gram(text_, at, token.end);
    if (gram.begin == token.end) {
      if (grams_ != 0) end_run();
      const std::size_t end = rules_.standard3 ? end_before_note(text_, token) : token.end;
      if (end < token.end) sink_({token.begin, end}, false);
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
    if (rules_.standard3) {
      joined_parts(token, {around.begin, around.end}, !part);
    } else {
      sink_({around.begin, around.end}, !part);
      dotted_parts(token);
    }
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
  // Of standard3: a token and what is around it, its parts, and some of them side by side.
  void joined_parts(TokenSpan token, TokenSpan around, bool main) {
    TokenSpan part = next_part(text_, token.begin, token.end, rules_);
    if (part == token) return sink_(around, main);
    const bool initials = are_initials(text_.substr(token.begin, token.end - token.begin));
    const bool is_long = !initials && around == token && has_more_parts(part, token.end);
    if (!is_long) sink_(around, main);
    std::array<std::size_t, kMostTogether> begins{};
    for (std::size_t i = 0; part.begin != part.end; part = next_part(text_, part.end, token.end, rules_), ++i) {
      sink_(part, false);
      begins[i % kMostTogether] = part.begin;
      for (std::size_t together = 2; !initials && together <= std::min(i + 1, kMostTogether); ++together) {
        const TokenSpan some{begins[(i + 1 - together) % kMostTogether], part.end};
        if (some != token) sink_(some, main && is_long && together == kMostTogether);
      }
    }
  }
  // Whether there are more than kMostTogether from this one on.
  bool has_more_parts(TokenSpan part, std::size_t end) const {
    for (std::size_t i = 0; i < kMostTogether; ++i) part = next_part(text_, part.end, end, rules_);
    return part.begin != part.end;
  }
  void symbol(TokenSpan token) {
    if (grams_ != 0) end_run();
    if (open_) close(joined_end_);
    sink_(token, !is_left_out(text_, token));
    const std::string_view all = text_.substr(0, token.end);
    for (TokenSpan part = next_symbol_part(all, token.begin); part.begin != part.end;
         part = next_symbol_part(all, part.end))
      if (part != token) sink_(part, false);
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

  static constexpr std::size_t kMostTogether = 4;  // as in 192.168.1.1

  const std::string_view text_;
  Sink& sink_;
  const SpanRules rules_;
  Gram last_;          // of the run of grams
  int grams_;          // in the run: 0, 1, or 2 for more
  bool open_ = false;  // the next word is joined to what begins at open_begin_
  std::size_t open_begin_ = 0;
  std::size_t joined_end_ = 0;  // of the last word
};

// sink(TokenSpan, bool main) for every span of `text`, which is in its form (cut_form.h) if it is cut by standard3.
// Those of one place come together, not in the order of begins. `from`: of CutForm::in_pieces(); those that end there
// or before are left out.
template <class Sink>
void for_each_span(std::string_view text, Sink&& sink, SpanRules rules = {}, std::size_t from = 0) {
  SpanCutter<std::remove_reference_t<Sink>> spans(text, sink, rules, from);
  TokenCutter<decltype(spans)>(text, spans, token_rules(rules), from).cut();
  spans.finish();
}

}  // namespace frond::text
