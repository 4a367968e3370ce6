// Candidates are where vector instructions find three bytes of a term's prefix (wanted_words.h).
//
// A stretch is what stands between two characters that are in no token and that no rule of term_spans.h looks at:
// spaces and most punctuation. Its tokens and spans do not depend on the rest of the text. A stretch is analyzed
//   - if it has a character that is not ASCII, whose normal form may have another beginning (has_plain_form()), and
//     what stands before it in the word is the beginning of a term's prefix, or
//   - if a term's prefix stands where a span, or what remains of it without an elided article, may begin.
// Where a term is not what its span begins with, other spellings are looked for, too: o'brien for obrien, 3,000 for
// 3000, and with standard3 u.s.a for usa and v1.2 for 1.2. Standard3 cuts the form of a stretch (cut_form.h); symbols,
// and what the form changes, are inside stretches and not plain.
#include "common/text/snippets/term_matches.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "common/text/normal_form.h"
#include "common/text/snippets/wanted_words.h"
#include "common/text/unicode.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

// Which of some terms a token has. Remembers the last tokens, as words come again and again. Borrows the terms, and the
// text that tokens are parts of.
class AskedTerms {
 public:
  AskedTerms(Analyzer& analyzer, std::span<const std::string_view> terms) : analyzer_(analyzer), terms_(terms) {}
  // The position of the token's term among the terms; their number if it has none of them.
  std::uint32_t position_of(std::string_view token) {
    Asked& asked = asked_[(token.size() * 5 + static_cast<unsigned char>(token.front())) % asked_.size()];
    if (token != asked.token) asked = {token, position_of_other(token)};
    return asked.term;
  }
  // The same of a token that is no part of the text.
  std::uint32_t position_of_other(std::string_view token) {
    return static_cast<std::uint32_t>(std::ranges::find(terms_, analyzer_.term_of(token)) - terms_.begin());
  }
  std::size_t size() const { return terms_.size(); }

 private:
  struct Asked {
    std::string_view token;  // empty: none
    std::uint32_t term = 0;
  };

  Analyzer& analyzer_;
  const std::span<const std::string_view> terms_;
  std::array<Asked, 16> asked_;
};

// The distinct terms, in order; without "".
std::vector<std::string_view> distinct(std::span<const std::string> terms) {
  std::vector<std::string_view> all;
  all.reserve(terms.size());
  for (const std::string& term : terms)
    if (!term.empty() && std::ranges::find(all, term) == all.end()) all.push_back(term);
  return all;
}

constexpr auto kAsciiSeparates = [] {
  std::array<bool, 128> table{};
  for (std::size_t c = 0; c < table.size(); ++c) table[c] = kAsciiWordClass[c] == WordClass::kBreak;
  for (const char c : {'@', '&', '+', '#'}) table[static_cast<unsigned char>(c)] = false;
  return table;
}();
// Of the ASCII character text[at]. A quotation mark between others may be in a Hebrew word.
bool ascii_ends_stretch(std::string_view text, std::size_t at) {
  if (!kAsciiSeparates[static_cast<unsigned char>(text[at])]) return false;
  return text[at] != '"' || at == 0 || is_ascii(text[at - 1]) || at + 1 == text.size() || is_ascii(text[at + 1]);
}
bool ends_stretch(std::string_view text, std::size_t at) { return is_ascii(text[at]) && ascii_ends_stretch(text, at); }

// Of a term that is a number without groups: the same with commas between them; else empty.
std::string with_commas(std::string_view term) {
  if (term.size() < 4 || !std::ranges::all_of(term, is_ascii_digit)) return {};
  std::string number(term);
  for (std::size_t at = number.size() - 3;; at -= 3) {
    number.insert(at, 1, ',');
    if (at <= 3) return number;
  }
}

// The first two letters with a dot between them, of what may be a word that initials stand for; else empty.
std::string beginning_of_initials(std::string_view prefix) {
  const auto letters =
      std::ranges::count_if(prefix, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  const CodePoint first = decode_utf8(prefix, 0);
  // A stem may be a letter longer than what is left of the word.
  if (letters < 2 || letters > static_cast<std::ptrdiff_t>(kMaxInitials) + 1) return {};
  const CodePoint second = decode_utf8(prefix, first.bytes);
  if (word_class_of(first.value) != WordClass::kLetter || word_class_of(second.value) != WordClass::kLetter) return {};
  return std::string(prefix.substr(0, first.bytes)) + "." + std::string(prefix.substr(first.bytes, second.bytes));
}

class StretchFinder {
 public:
  StretchFinder(Analyzer& analyzer, std::string_view text, std::span<const std::string_view> terms,
                const WantedWords& wanted)
      : text_(text),
        analyzer_(analyzer),
        is_standard_(analyzer.config().kind == AnalyzerKind::kStandard),
        rules_(span_rules(analyzer.config())),
        asked_(analyzer, terms),
        wanted_(wanted) {}

  std::vector<TermMatch> find() && {
    matches_.reserve(64);
    ScanBits bits;
    ScanPlaces places;
    for (std::size_t from = 0; from < text_.size(); from += kScanBytes) {
      const std::size_t end = std::min(from + kScanBytes, text_.size());
      from_ = from;
      const bool any_odd = find_triples(text_, from, wanted_.triples(), bits, high_);
      std::size_t odd = any_odd ? next_odd(from, end) : end;
      for (const std::size_t place : places_of(bits, (end - from + 63) / 64, places)) {
        const std::size_t at = from + place;
        if (at < done_) continue;
        while (odd <= at) odd = pass_odd(odd, end);
        if (at >= done_ && wanted_.may_begin_at(text_, at) && span_may_begin_at(at)) analyze_around(at);
      }
      if (!any_odd) continue;
      odd = next_odd(odd, end);
      while (odd < end) odd = pass_odd(odd, end);
    }
    return std::move(matches_);
  }

 private:
  // Of a character that is not ASCII.
  bool ends_stretch(CodePoint c) const {
    if (c.value == kNoCodePoint || (c.value >= 0x2010 && c.value <= 0x2017)) return true;  // dashes, for one
    if (has_plain_form(c.value) || word_class_of(c.value) != WordClass::kBreak) return false;
    const bool is_skin_tone = c.value >= 0x1f3fb && c.value <= 0x1f3ff;  // of the symbol before it
    return !rules_.standard3 || (!is_symbol(c.value) && !is_skin_tone && !is_raised_digit(c.value) &&
                                 !is_lowered_digit(c.value) && !CutForm::changes(c.value));
  }
  // Characters before which a stretch ends, and which make it one that is analyzed whatever it begins with.
  bool is_odd(CodePoint c) const { return c.value >= 0x80 && !has_plain_form(c.value) && !ends_stretch(c); }

  // The first odd character at or after `from` that no stretch at hand has; `end` if there is none before.
  std::size_t next_odd(std::size_t from, std::size_t end) const {
    from = std::max(from, done_);
    if (is_standard_) {  // nothing but I with a dot and the sign of Kelvin, whose small letters are i and k
      constexpr std::string_view kDottedI = "\xc4\xb0", kKelvin = "\xe2\x84\xaa";
      const std::string_view rest = text_.substr(0, end + kKelvin.size() - 1);
      return std::min({end, rest.find(kDottedI, from), rest.find(kKelvin, from)});
    }
    for (std::size_t at = ascii_end(from, end); at < end; at = ascii_end(at, end)) {
      const CodePoint c = decode_utf8(text_, at);
      if (is_odd(c)) return at;
      at += c.bytes;
    }
    return end;
  }

  // Analyzes the stretch of an odd character if it may have a term. Returns the next one, as next_odd().
  std::size_t pass_odd(std::size_t odd, std::size_t end) {
    const CodePoint c = decode_utf8(text_, odd);
    std::size_t begin = odd;
    while (begin > 0 && odd - begin < kMaxTokenBytes && is_ascii(text_[begin - 1]) &&
           !text::ends_stretch(text_, begin - 1))
      --begin;
    // A span may begin at such a character whatever is before it: "10²" has 2, and "x℃" c.
    const bool begins_anywhere =
        is_standard_ || rules_.split_case ||
        (rules_.standard3 && (word_class_of(c.value) == WordClass::kBreak || CutForm::changes(c.value)));
    if (begins_anywhere || wanted_.may_go_on_with(text_, begin, odd, c.value) || in_long_stretch(odd))
      analyze_around(odd);
    return next_odd(odd + c.bytes, end);
  }

  // The first byte from `at` on that is not ASCII; `end`, of the part at hand, or more if there is none before.
  std::size_t ascii_end(std::size_t at, std::size_t end) const {
    if (at >= end) return at;
    std::size_t word = (at - from_) / 64;
    std::uint64_t left = high_[word] >> (at - from_) % 64 << (at - from_) % 64;
    for (const std::size_t words = (end - from_ + 63) / 64; left == 0; left = high_[word])
      if (++word == words) return end;
    return from_ + word * 64 + static_cast<std::size_t>(std::countr_zero(left));
  }

  // False in the middle of a word, unless it is so long that it was cut.
  bool span_may_begin_at(std::size_t at) const {
    if (at == 0 || !is_ascii_letter_or_digit(text_[at]) || !is_ascii_letter_or_digit(text_[at - 1])) return true;
    return rules_.split_case || in_long_stretch(at);
  }

  // Whether so much of a stretch is before `at` that its words may be cut anywhere.
  bool in_long_stretch(std::size_t at) const {
    std::size_t begin = at;
    while (begin > 0 && at - begin < kMaxTokenBytes && !text::ends_stretch(text_, begin - 1)) --begin;
    return at - begin >= kMaxTokenBytes;
  }

  void analyze_around(std::size_t at) {
    if (at < done_) return;
    // Tokens of standard behind a character that is in none are cut as if the text began there.
    if (is_standard_ && (at == 0 || (is_ascii(text_[at - 1]) && ascii_ends_stretch(text_, at - 1)))) {
      if (const TokenSpan token = next_token(text_, at); token.begin == at) ask(token);
      return;
    }
    std::size_t begin = at, end = at;
    while (begin > done_) {
      std::size_t before = begin - 1;
      if (is_ascii(text_[before])) {
        if (ascii_ends_stretch(text_, before)) break;
      } else {
        while (before > done_ && begin - before < 4 && (static_cast<unsigned char>(text_[before]) & 0xc0) == 0x80)
          --before;
        const CodePoint c = decode_utf8(text_.substr(0, begin), before);
        if (c.bytes != begin - before || ends_stretch(c)) break;  // bytes that are no UTF-8 are in no span
      }
      begin = before;
    }
    while (end < text_.size()) {
      if (is_ascii(text_[end])) {
        if (ascii_ends_stretch(text_, end)) break;
        ++end;
        continue;
      }
      const CodePoint c = decode_utf8(text_, end);
      if (ends_stretch(c)) break;
      end += c.bytes;
    }
    done_ = std::max(end, at + 1);
    if (rules_.standard3 && CutForm::changes(text_.substr(begin, end - begin))) return analyze_form(begin, end);
    const std::string_view stretch = text_.substr(0, end);
    cut(stretch, begin, [this](TokenSpan where, bool) { ask(where); });
  }
  void ask(TokenSpan where) {
    done_ = std::max(done_, where.end);
    const std::uint32_t term = asked_.position_of(text_.substr(where.begin, where.end - where.begin));
    if (term < asked_.size()) matches_.push_back({where, term});
  }

  // Of a stretch that is cut in another form, with the byte before it, which its first dot may need.
  void analyze_form(std::size_t begin, std::size_t end) {
    const std::size_t from = begin - std::min<std::size_t>(begin, 1);
    const std::string_view form = analyzer_.cut_form().of(text_.substr(from, end - from));
    cut(form, 0, [&](TokenSpan where, bool) {
      const std::uint32_t term = asked_.position_of_other(form.substr(where.begin, where.end - where.begin));
      if (term >= asked_.size()) return;
      const TokenSpan place = analyzer_.cut_form().original(where);
      matches_.push_back({{from + place.begin, from + place.end}, term});
    });
  }

  template <class Use>
  void cut(std::string_view stretch, std::size_t begin, const Use& use) const {
    const TokenRules tokens = token_rules(rules_);
    SpanCutter<const Use> spans(stretch, use, rules_);
    for (TokenSpan token = next_token(stretch, begin, tokens); token.begin != token.end;
         token = next_token(stretch, token.end, tokens)) {
      if (is_standard_)
        use(token, true);
      else
        spans.odd(token);
    }
    spans.finish();
  }

  const std::string_view text_;
  Analyzer& analyzer_;
  const bool is_standard_;  // which has tokens, no spans
  const SpanRules rules_;
  AskedTerms asked_;
  const WantedWords& wanted_;
  std::vector<TermMatch> matches_;
  std::size_t from_ = 0;  // of the part at hand
  ScanBits high_;         // its bytes that are not ASCII
  std::size_t done_ = 0;  // stretches before it were analyzed or have no match
};

// The spans of `text` whose term is one of `terms`, those of one place together; they may overlap, as those of
// Analyzer::analyze() do. nullopt: all of the text must be cut, since it is not known how the spans of these terms
// begin or there are too many beginnings.
std::optional<std::vector<TermMatch>> find_spans(Analyzer& analyzer, std::string_view text,
                                                 std::span<const std::string_view> terms) {
  WantedWords wanted(4 * terms.size());
  std::vector<std::string> spellings;  // which WantedWords borrows: they must not move
  const bool is_standard = analyzer.config().kind == AnalyzerKind::kStandard;
  if (!is_standard) spellings.reserve(4 * terms.size());
  for (const std::string_view term : terms) {
    const std::optional<TokenPrefix> prefix = token_prefix(analyzer.config(), term);
    if (!prefix) return std::nullopt;
    wanted.add(*prefix);
    if (is_standard) continue;
    if (std::string number = with_commas(term); !number.empty())
      wanted.add({spellings.emplace_back(std::move(number)), prefix->any_letter_may_follow});
    if (prefix->bytes.size() > 1 && prefix->bytes.front() == 'o')
      wanted.add({spellings.emplace_back("o'" + std::string(prefix->bytes.substr(1))), prefix->any_letter_may_follow});
    if (analyzer.config().kind != AnalyzerKind::kStandard3) continue;
    if (std::string initials = beginning_of_initials(prefix->bytes); !initials.empty())
      wanted.add({spellings.emplace_back(std::move(initials)), true});
    if (is_ascii_digit(term.front()) && term.find('.') != std::string_view::npos)
      wanted.add({spellings.emplace_back("v" + std::string(prefix->bytes)), prefix->any_letter_may_follow});
  }
  if (wanted.triples().size() > WantedWords::kMaxTriples) return std::nullopt;
  return StretchFinder(analyzer, text, terms, wanted).find();
}

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
  const std::vector<std::string_view> wanted = distinct(terms);
  if (wanted.empty()) return {};
  auto found = find_spans(analyzer, text, wanted);
  if (!found) return cut_everything(analyzer, text, wanted);
  return analyzer.config().kind == AnalyzerKind::kStandard ? *std::move(found) : cut_apart(*std::move(found));
}

std::vector<TermMatch> find_terms_plainly(Analyzer& analyzer, std::string_view text,
                                          std::span<const std::string> terms) {
  const std::vector<std::string_view> wanted_terms = distinct(terms);
  return wanted_terms.empty() ? std::vector<TermMatch>() : cut_everything(analyzer, text, wanted_terms);
}

}  // namespace frond::text
