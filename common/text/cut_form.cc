#include "common/text/cut_form.h"

#include <utf8proc.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "common/text/normal_form.h"
#include "common/text/utf8.h"
#include "common/text/word_class.h"

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
  std::size_t at = 0, bytes = 0;  // 0: none any more
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

Change next_change(std::string_view text, std::size_t from) {
  for (std::size_t at = ascii_end(text, from); at < text.size(); at = ascii_end(text, at)) {
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
  return {};
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

bool CutForm::changes(std::string_view text) { return next_change(text, 0).bytes > 0; }

std::string_view CutForm::of(std::string_view text) {
  stretches_.clear();
  Change change = next_change(text, 0);
  if (change.bytes == 0) return text;
  form_.clear();
  std::size_t at = 0;
  for (; change.bytes > 0; change = next_change(text, at)) {
    stretches_.push_back({form_.size(), at, change.at - at, false});
    form_.append(text, at, change.at - at);
    stretches_.push_back({form_.size(), change.at, change.bytes, true});
    if (change.to != 0)
      append_utf8(change.to, form_);
    else
      append_apart(decode_utf8(text, change.at).value, form_);
    at = change.at + change.bytes;
  }
  stretches_.push_back({form_.size(), at, text.size() - at, false});
  form_.append(text, at);
  return form_;
}

const CutForm::Stretch& CutForm::stretch_of(std::size_t form) const {
  // The last one that begins at or before it; empty ones are before others of the same place.
  return *std::prev(std::ranges::upper_bound(stretches_, form, {}, &Stretch::form));
}

TokenSpan CutForm::original(TokenSpan part) const {
  if (stretches_.empty() || part.begin >= part.end) return part;
  const Stretch &first = stretch_of(part.begin), &last = stretch_of(part.end - 1);
  return {first.whole ? first.text : first.text + (part.begin - first.form),
          last.whole ? last.text + last.text_bytes : last.text + (part.end - last.form)};
}

}  // namespace frond::text
