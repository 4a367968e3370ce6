#include "common/text/utf8.h"

#include <simdjson.h>

#include <algorithm>

namespace frond::text {
namespace {

// Up to this size a look for ASCII is quicker than simdjson, which takes some 60 ns for any text.
constexpr std::size_t kMaxShortBytes = 128;

std::uint8_t byte_at(std::string_view text, std::size_t at) { return static_cast<std::uint8_t>(text[at]); }
bool continues(std::string_view text, std::size_t at) { return (byte_at(text, at) & 0xc0) == 0x80; }

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t at) {
  const std::uint8_t lead = byte_at(text, at);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xc2 || lead > 0xf4) return {};
  const std::uint32_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() - at < bytes) return {};
  char32_t value = lead & (0xffu >> (bytes + 1));
  for (std::uint32_t i = 1; i < bytes; ++i) {
    if (!continues(text, at + i)) return {};
    value = value << 6 | (byte_at(text, at + i) & 0x3fu);
  }
  constexpr char32_t kMin[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kMin[bytes] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return {};
  return {value, bytes};
}

void append_utf8(char32_t c, std::string& out) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
    return;
  }
  if (c < 0x800) {
    out.push_back(static_cast<char>(0xc0 | c >> 6));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | c >> 12));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
  } else {
    out.push_back(static_cast<char>(0xf0 | c >> 18));
    out.push_back(static_cast<char>(0x80 | (c >> 12 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
  }
  out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
}

std::size_t utf8_boundary(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  for (std::size_t cut = at; at - cut < 4; --cut) {
    if (!continues(text, cut)) return cut;
    if (cut == 0) break;
  }
  return at;  // not UTF-8 here
}

bool is_utf8(std::string_view text) {
  if (text.size() <= kMaxShortBytes && std::all_of(text.begin(), text.end(), is_ascii)) return true;
  return simdjson::validate_utf8(text.data(), text.size());
}

std::string repaired_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool broken = false;  // inside a run of bytes already replaced
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    if (c.value != kNoCodePoint) {
      out.append(text, at, c.bytes);
    } else if (!broken) {
      out.append(kReplacement);
    }
    broken = c.value == kNoCodePoint;
    at += c.bytes;
  }
  return out;
}

}  // namespace frond::text
