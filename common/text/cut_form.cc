#include "common/text/cut_form.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "common/text/normal_form.h"
#include "common/text/term_spans.h"
#include "common/text/unicode.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

constexpr std::size_t kMostPoints = 18;  // of a code point that is taken apart
struct Apart {
  std::array<std::int32_t, kMostPoints> points{};
  std::size_t count = 0;
};
Apart taken_apart(char32_t c) {
  Apart apart;
  int last = 0;
  const auto count = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(c), apart.points.data(), kMostPoints,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT), &last);
  if (count > 0 && count <= static_cast<utf8proc_ssize_t>(kMostPoints)) apart.count = static_cast<std::size_t>(count);
  return apart;
}
int decomposition_of(char32_t c) { return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->decomp_type; }
WordClass class_of(std::int32_t c) { return word_class_of(static_cast<char32_t>(c)); }
bool is_of_words(WordClass cls) {
  return cls == WordClass::kLetter || cls == WordClass::kDigit || cls == WordClass::kKatakana ||
         cls == WordClass::kAlone;
}
bool joins_words(std::int32_t c) {
  return c < 0x80 && std::string_view("@&+#").find(static_cast<char>(c)) != std::string_view::npos;
}

constexpr char32_t kNoBreakSpace = 0xa0, kThreeDots = 0x2026, kLongestLigature = 0xfdfa;
// Of middle dots and ties; 0: none.
char32_t usual_joiner(char32_t c) {
  if (c == 0x387 || c == 0x2027) return 0xb7;
  return c == 0x203f || c == 0x2040 || c == 0x2054 ? U'_' : 0;
}

// Whether words are cut otherwise where `c` is taken apart. It has a compatibility decomposition.
bool cuts_otherwise(char32_t c, int type) {
  if (c == kNoBreakSpace || c == kThreeDots || c == kLongestLigature) return false;
  const WordClass own = word_class_of(c);
  if (own == WordClass::kExtend) return false;
  if (own == WordClass::kBreak && (type == UTF8PROC_DECOMP_TYPE_SUPER || type == UTF8PROC_DECOMP_TYPE_SUB))
    return false;
  const Apart apart = taken_apart(c);
  const bool is_wide = type == UTF8PROC_DECOMP_TYPE_WIDE || type == UTF8PROC_DECOMP_TYPE_NARROW ||
                       type == UTF8PROC_DECOMP_TYPE_SMALL || type == UTF8PROC_DECOMP_TYPE_VERTICAL;
  bool any_words = false, all_same = true;
  for (std::size_t i = 0; i < apart.count; ++i) {
    const WordClass cls = class_of(apart.points[i]);
    any_words = any_words || is_of_words(cls);
    all_same = all_same && (cls == own || cls == WordClass::kExtend);
  }
  if (apart.count == 0) return false;
  const std::int32_t first = apart.points[0];
  if (own == WordClass::kBreak)
    return any_words ||
           (is_wide && apart.count == 1 && (joins_words(first) || is_symbol(static_cast<char32_t>(first))));
  if (is_of_words(own)) {
    const bool pairs = own == WordClass::kKatakana || own == WordClass::kAlone;  // each character counts
    return !all_same || (is_wide && first < 0x80) || (pairs && apart.count > 1);
  }
  return std::string_view(".:_'").find(static_cast<char>(first)) != std::string_view::npos && first < 0x80;
}

bool is_hebrew_letter(char32_t c) {
  return (c >= 0x5d0 && c <= 0x5ea) || (c >= 0x5ef && c <= 0x5f2) || c == 0xfb1d ||
         (c >= 0xfb1f && c <= 0xfb4f && c != 0xfb29);
}
bool is_hebrew_point(char32_t c) { return c >= 0x591 && c <= 0x5c7; }

// Geresh or gershayim for what people type in their places; 0 for anything else.
char32_t hebrew_mark(char32_t c) {
  if (c == U'\'' || c == 0x2018 || c == 0x2019 || c == 0x5f3) return 0x5f3;
  return c == U'"' || c == 0x201c || c == 0x201d || c == 0x5f4 ? 0x5f4 : 0;
}

// A change of the text: `bytes` of it at `at` become something else.
struct Change {
  std::size_t at = 0, bytes = 0;  // 0: none before `at`
  char32_t to = 0;                // 0: what the character is taken apart to
};

// Of a mark behind a Hebrew letter; bytes are 0 if it stays.
Change change_of_mark(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const CodePoint c = decode_utf8(text, at);
  const char32_t mark = c.value == kNoCodePoint ? 0 : hebrew_mark(c.value);
  if (mark == 0) return {};
  const std::size_t next = at + c.bytes;
  const bool inside = next < text.size() && is_hebrew_letter(decode_utf8(text, next).value);
  if (inside && mark != c.value) return {at, c.bytes, mark};
  if (!inside && c.value == 0x5f3) return {at, c.bytes, U' '};
  return {};
}

std::size_t ascii_end(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  std::uint64_t some[4];
  for (; text.size() - at >= sizeof some; at += sizeof some) {
    std::memcpy(some, text.data() + at, sizeof some);
    if (((some[0] | some[1] | some[2] | some[3]) & kHigh) != 0) break;
  }
  for (; text.size() - at >= sizeof some[0]; at += sizeof some[0]) {
    std::memcpy(some, text.data() + at, sizeof some[0]);
    if (const std::uint64_t high = some[0] & kHigh; high != 0)
      return at + static_cast<std::size_t>(std::countr_zero(high)) / 8;
  }
  while (at < text.size() && is_ascii(text[at])) ++at;
  return at;
}

// The first change from `from` on; none is sought much behind `until`.
Change next_change(std::string_view text, std::size_t from, std::size_t until) {
  std::size_t at = from;
  while (at < until) {
    at = ascii_end(text.substr(0, until), at);
    if (at == until) break;
    const CodePoint c = decode_utf8(text, at);
    const std::size_t next = at + c.bytes;
    if (c.value == kNoCodePoint || has_plain_form(c.value)) {
      at = next;
      continue;
    }
    if (is_hebrew_letter(c.value)) {
      at = next;
      while (at < text.size() && !is_ascii(text[at]) && is_hebrew_point(decode_utf8(text, at).value)) at += 2;
      if (const Change change = change_of_mark(text, at); change.bytes > 0) return change;
      continue;
    }
    if (CutForm::changes(c.value)) return {at, c.bytes, usual_joiner(c.value)};
    at = next;
  }
  return {at};
}

void append_apart(char32_t c, std::string& out) {
  const int type = decomposition_of(c);
  const Apart apart = taken_apart(c);
  bool alone = type == UTF8PROC_DECOMP_TYPE_CIRCLE || type == UTF8PROC_DECOMP_TYPE_FRACTION;
  if (type == UTF8PROC_DECOMP_TYPE_COMPAT && word_class_of(c) == WordClass::kBreak)
    for (std::size_t i = 0; i < apart.count; ++i)
      alone =
          alone || class_of(apart.points[i]) == WordClass::kLetter || class_of(apart.points[i]) == WordClass::kDigit;
  if (alone) out.push_back(' ');
  for (std::size_t i = 0; i < apart.count; ++i)
    append_utf8(apart.points[i] == 0x2044 ? U'/' : static_cast<char32_t>(apart.points[i]), out);
  if (alone) out.push_back(' ');
}

}  // namespace

bool CutForm::changes(char32_t c) {
  if (usual_joiner(c) != 0) return true;
  const int type = decomposition_of(c);
  return type != 0 && cuts_otherwise(c, type);
}

bool CutForm::changes(std::string_view text) { return next_change(text, 0, text.size()).bytes > 0; }

void CutForm::begin() {
  form_.clear();
  stretches_.clear();
  at_ = dropped_ = from_ = 0;
  cut_ = {};
}

std::string_view CutForm::of(std::string_view text) {
  begin();
  if (!changes(text)) return text;
  grow(text, std::string::npos);
  return form_;
}

// Until the form has about `most` bytes, or is whole.
void CutForm::grow(std::string_view text, std::size_t most) {
  const auto keep = [this](std::size_t bytes, bool whole) {
    if (keeps_places_) stretches_.push_back({dropped_ + form_.size(), at_, bytes, whole});
  };
  while (at_ < text.size() && form_.size() < most) {
    const Change change = next_change(text, at_, at_ + std::min(text.size() - at_, most - form_.size()));
    keep(change.at - at_, false);
    form_.append(text, at_, change.at - at_);
    at_ = change.at;
    if (change.bytes == 0) continue;
    keep(change.bytes, true);
    if (change.to != 0)
      append_utf8(change.to, form_);
    else
      append_apart(decode_utf8(text, at_).value, form_);
    at_ += change.bytes;
  }
}

// The last place before which no span depends on what is behind it, nor the other way round: before white space, or
// else behind a token. Behind a run of grams the next piece has the last one again. An end of 0: there is none.
CutForm::Cut CutForm::place_to_cut() const {
  constexpr std::size_t kAhead = 2 * kMaxTokenBytes;  // what tells where a token ends
  for (std::size_t at = form_.size() - 1; at > form_.size() / 2; --at)
    if (static_cast<unsigned char>(form_[at]) <= ' ') return {at, at};
  constexpr auto kRules = TokenRules::kWordsAndSymbols;
  Cut found;
  Gram last{0, from_};
  bool several = from_ > 0;  // in the run that `last` ends
  for (TokenSpan token = next_token(form_, from_, kRules); token.begin + kAhead < form_.size();
       token = next_token(form_, token.end, kRules)) {
    for (Gram gram = next_gram(form_, token.begin, token.end); gram.begin != token.end;
         gram = next_gram(form_, gram.end, token.end)) {
      several = gram.begin > 0 && gram.begin == last.end;
      last = gram;
    }
    if (std::string_view(".@&+#").find(form_[token.end]) != std::string_view::npos) continue;  // parts of terms
    if (last.end != token.end) found = {token.end, token.end};
    if (last.end == token.end && several) found = {token.end, last.begin};
  }
  return found;
}

// False: the last one was.
bool CutForm::next_piece(std::string_view text) {
  from_ = cut_.end - cut_.next;
  form_.erase(0, cut_.next);
  dropped_ += cut_.next;
  if (!stretches_.empty()) stretches_.erase(stretches_.begin(), stretch_of(dropped_));
  for (std::size_t most = kPieceBytes;; most *= 2) {
    grow(text, most);
    cut_ = at_ == text.size() ? Cut{form_.size(), form_.size()} : place_to_cut();
    if (at_ == text.size() || cut_.end > 0) return cut_.end > from_;
  }
}

std::vector<CutForm::Stretch>::const_iterator CutForm::stretch_of(std::size_t form) const {
  // The last one that begins at or before it; empty ones are before others of the same place.
  return std::prev(std::ranges::upper_bound(stretches_, form, {}, &Stretch::form));
}

TokenSpan CutForm::original(TokenSpan part) const {
  if (stretches_.empty() || part.begin >= part.end) return part;
  part = {dropped_ + part.begin, dropped_ + part.end};
  const Stretch &first = *stretch_of(part.begin), &last = *stretch_of(part.end - 1);
  return {first.whole ? first.text : first.text + (part.begin - first.form),
          last.whole ? last.text + last.text_bytes : last.text + (part.end - last.form)};
}

}  // namespace frond::text
