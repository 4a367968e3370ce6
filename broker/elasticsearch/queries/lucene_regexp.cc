#include "broker/elasticsearch/queries/lucene_regexp.h"

#include <algorithm>
#include <charconv>

#include "common/text/utf8.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::size_t kUnlimited = ~std::size_t{0};
constexpr std::size_t kMaxRepeats = 1000;

bool is_latin_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> all;
  for (std::size_t at = 0; at < text.size();) {
    const text::CodePoint one = text::decode_utf8(text, at);
    all.push_back(one.value);
    at += one.bytes;
  }
  return all;
}

// One state leads to what follows: fragments of the automaton have one first and one last state.
class RegexpParser {
 public:
  RegexpParser(std::string_view text, bool folds) : text_(code_points(text)), folds_(folds) {}

  Expected<LuceneRegexp> parse() {
    Fragment all = FROND_EXPECT_OK(either(1));
    if (at_ < text_.size()) return wrong("unexpected sign");
    made_.first_ = all.first;
    made_.last_ = all.last;
    return std::move(made_);
  }

 private:
  struct Fragment {
    std::uint32_t first, last;
  };

  ApiError wrong(std::string_view why) const {
    return illegal_argument("the regular expression can't be read at " + std::to_string(at_) + ": " + std::string(why));
  }
  bool is(char32_t sign) const { return at_ < text_.size() && text_[at_] == sign; }
  bool take(char32_t sign) {
    if (!is(sign)) return false;
    ++at_;
    return true;
  }

  Expected<std::uint32_t> state() {
    if (made_.states_.size() == kMaxRegexpStates)
      return illegal_argument("the regular expression has more than " + std::to_string(kMaxRegexpStates) + " states");
    made_.states_.emplace_back();
    return static_cast<std::uint32_t>(made_.states_.size() - 1);
  }
  void lead(std::uint32_t from, std::uint32_t to) {
    LuceneRegexp::State& one = made_.states_[from];
    (one.next == 0 ? one.next : one.other) = to + 1;  // 0: nowhere
  }
  Expected<Fragment> empty() {
    const auto first = FROND_EXPECT_OK(state()), last = FROND_EXPECT_OK(state());
    lead(first, last);
    return Fragment{first, last};
  }
  Expected<Fragment> letter(LuceneRegexp::Ranges ranges, bool negated) {
    const auto first = FROND_EXPECT_OK(state()), last = FROND_EXPECT_OK(state());
    if (folds_)
      for (std::size_t i = 0, all = ranges.size(); i < all; ++i)
        for (const auto& [low, high, by] : {std::tuple(U'a', U'z', -32), {U'A', U'Z', 32}}) {
          const char32_t from = std::max(low, ranges[i].first), to = std::min(high, ranges[i].second);
          if (from <= to) ranges.emplace_back(from + static_cast<char32_t>(by), to + static_cast<char32_t>(by));
        }
    made_.states_[first].ranges = std::move(ranges);
    made_.states_[first].negated = negated;
    lead(first, last);
    return Fragment{first, last};
  }

  Expected<Fragment> either(std::size_t depth) {
    if (depth > kMaxRegexpNesting) return wrong("too many parentheses");
    Fragment made = FROND_EXPECT_OK(row(depth));
    while (take('|')) {
      const Fragment second = FROND_EXPECT_OK(row(depth));
      const auto first = FROND_EXPECT_OK(state()), last = FROND_EXPECT_OK(state());
      lead(first, made.first);
      lead(first, second.first);
      lead(made.last, last);
      lead(second.last, last);
      made = {first, last};
    }
    return made;
  }

  Expected<Fragment> row(std::size_t depth) {
    Fragment made = FROND_EXPECT_OK(empty());
    while (at_ < text_.size() && !is('|') && !is(')')) {
      const Fragment next = FROND_EXPECT_OK(repeated(depth));
      lead(made.last, next.first);
      made.last = next.last;
    }
    return made;
  }

  Expected<Fragment> repeated(std::size_t depth) {
    const std::size_t begin = at_;
    Fragment made = FROND_EXPECT_OK(one(depth));
    std::size_t least = 0, most = kUnlimited;
    if (take('?')) {
      most = 1;
    } else if (take('+')) {
      least = 1;
    } else if (take('{')) {
      least = FROND_EXPECT_OK(number());
      most = least;
      if (take(',')) most = is('}') ? kUnlimited : FROND_EXPECT_OK(number());
      if (!take('}') || most < least) return wrong("a wrong number of repeats");
    } else if (!take('*')) {
      return made;
    }
    return times(begin, made, least, most, depth);
  }
  Expected<std::size_t> number() {
    std::size_t value = 0;
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && value <= kMaxRepeats)
      value = value * 10 + (text_[at_++] - U'0');
    if (at_ == begin || value > kMaxRepeats) return wrong("a wrong number of repeats");
    return value;
  }
  // The signs from `begin` on are read again for each copy.
  Expected<Fragment> times(std::size_t begin, Fragment first, std::size_t least, std::size_t most, std::size_t depth) {
    const std::size_t end = at_;
    if (least == 0 && most == kUnlimited) return optional(first, true);
    if (least == 0 && most == 1) return optional(first, false);
    if (least == 1 && most == kUnlimited) {
      lead_back(first);
      return first;
    }
    Fragment made = FROND_EXPECT_OK(empty());
    for (std::size_t i = 0; i < (most == kUnlimited ? least + 1 : most); ++i) {
      at_ = begin;
      Fragment copy = FROND_EXPECT_OK(one(depth));
      if (i >= least) copy = FROND_EXPECT_OK(optional(copy, most == kUnlimited));
      lead(made.last, copy.first);
      made.last = copy.last;
    }
    at_ = end;
    return made;
  }
  Expected<Fragment> optional(Fragment of, bool again) {
    const auto first = FROND_EXPECT_OK(state()), last = FROND_EXPECT_OK(state());
    if (again) lead(of.last, of.first);
    lead(first, of.first);
    lead(first, last);
    lead(of.last, last);
    return Fragment{first, last};
  }
  void lead_back(Fragment& of) {
    made_.states_.emplace_back();
    const auto last = static_cast<std::uint32_t>(made_.states_.size() - 1);
    lead(of.last, of.first);
    lead(of.last, last);
    of.last = last;
  }

  Expected<Fragment> one(std::size_t depth) {
    if (at_ == text_.size()) return wrong("it ends too early");
    const char32_t sign = text_[at_++];
    if (sign == '(') {
      Fragment made = FROND_EXPECT_OK(either(depth + 1));
      if (!take(')')) return wrong("a parenthesis is not closed");
      return made;
    }
    if (sign == '[') return choice();
    if (sign == '.') return letter({}, /*negated=*/true);
    if (sign == '@') return optional(FROND_EXPECT_OK(letter({}, /*negated=*/true)), true);
    if (sign == '#') return letter({{1, 0}}, false);  // nothing
    if (sign == '"') {
      Fragment made = FROND_EXPECT_OK(empty());
      while (at_ < text_.size() && !is('"')) {
        const Fragment next = FROND_EXPECT_OK(letter({{text_[at_], text_[at_]}}, false));
        ++at_;
        lead(made.last, next.first);
        made.last = next.last;
      }
      if (!take('"')) return wrong("a quotation mark is not closed");
      return made;
    }
    if (sign == '~' || sign == '&' || sign == '<' || sign == '>')
      return not_supported("'" + std::string(1, static_cast<char>(sign)) + "' in a regular expression");
    if (sign == '*' || sign == '+' || sign == '?' || sign == '{') return wrong("a repeat of nothing");
    if (sign != '\\') return letter({{sign, sign}}, false);
    if (at_ == text_.size()) return wrong("it ends too early");
    const char32_t escaped = text_[at_++];
    if (is_latin_letter(escaped)) {
      const bool lower = escaped >= 'a';
      LuceneRegexp::Ranges ranges;
      if (escaped == 'd' || escaped == 'D') ranges = {{'0', '9'}};
      if (escaped == 'w' || escaped == 'W') ranges = {{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}};
      if (escaped == 's' || escaped == 'S') ranges = {{' ', ' '}, {'\t', '\r'}};
      if (!ranges.empty()) return letter(std::move(ranges), !lower);
    }
    return letter({{escaped, escaped}}, false);
  }

  Expected<Fragment> choice() {
    const bool negated = take('^');
    LuceneRegexp::Ranges ranges;
    const auto sign = [&]() -> Expected<char32_t> {
      if (take('\\') && at_ == text_.size()) return wrong("it ends too early");
      return text_[at_++];
    };
    while (at_ < text_.size() && !is(']')) {
      const char32_t low = FROND_EXPECT_OK(sign());
      char32_t high = low;
      if (is('-') && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
        ++at_;
        high = FROND_EXPECT_OK(sign());
      }
      if (high < low) return wrong("a range that ends before it begins");
      ranges.emplace_back(low, high);
    }
    if (!take(']') || ranges.empty()) return wrong("a bracket is not closed");
    return letter(std::move(ranges), negated);
  }

  const std::vector<char32_t> text_;
  const bool folds_;
  std::size_t at_ = 0;
  LuceneRegexp made_;
};

Expected<LuceneRegexp> LuceneRegexp::parse(std::string_view text, bool case_insensitive) {
  if (text.size() > kMaxRegexpBytes)
    return illegal_argument("a regular expression has at most " + std::to_string(kMaxRegexpBytes) + " bytes");
  return RegexpParser(text, case_insensitive).parse();
}

void LuceneRegexp::add(std::uint32_t state, std::vector<std::uint32_t>& to, std::vector<bool>& seen) const {
  std::vector<std::uint32_t> open{state};
  while (!open.empty()) {
    const std::uint32_t one = open.back();
    open.pop_back();
    if (seen[one]) continue;
    seen[one] = true;
    to.push_back(one);
    const State& of = states_[one];
    if (!of.ranges.empty() || of.negated) continue;
    for (const std::uint32_t next : {of.next, of.other})
      if (next != 0) open.push_back(next - 1);
  }
}

bool LuceneRegexp::matches(std::string_view word) const {
  std::vector<std::uint32_t> now, then;
  std::vector<bool> seen(states_.size());
  add(first_, now, seen);
  for (std::size_t at = 0; at < word.size() && !now.empty();) {
    const text::CodePoint next = text::decode_utf8(word, at);
    const char32_t sign = next.value;
    at += next.bytes;
    then.clear();
    seen.assign(states_.size(), false);
    for (const std::uint32_t one : now) {
      const State& of = states_[one];
      if (of.ranges.empty() && !of.negated) continue;
      const bool found = std::ranges::any_of(
          of.ranges, [&](const auto& range) { return sign >= range.first && sign <= range.second; });
      if (found != of.negated && of.next != 0) add(of.next - 1, then, seen);
    }
    now.swap(then);
  }
  return std::ranges::find(now, last_) != now.end();
}

std::string escaped_regexp(std::string_view word) {
  std::string text;
  for (const char c : word) {
    if (text::is_ascii(c) && !text::is_ascii_letter_or_digit(c)) text += '\\';
    text += c;
  }
  return text;
}

std::string wildcard_regexp(std::string_view pattern) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '*') {
      text += ".*";
    } else if (pattern[at] == '?') {
      text += '.';
    } else {
      if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
      text += escaped_regexp(pattern.substr(at, 1));
    }
  }
  return text;
}

}  // namespace frond::broker::elasticsearch
