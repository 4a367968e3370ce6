#include "common/text/json_surrogates.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace frond::text {
namespace {

constexpr std::size_t kEscape = 6;  // "\ud83d"

// The code unit of an escape at the front; 0: there is none.
std::uint32_t unit_of(std::string_view text) {
  if (text.size() < kEscape || !text.starts_with("\\u")) return 0;
  std::uint32_t unit = 0;
  const char* const end = text.data() + kEscape;
  return std::from_chars(text.data() + 2, end, unit, 16).ptr == end ? unit : 0;
}

}  // namespace

std::string with_whole_surrogates(std::string_view json) {
  std::string whole;
  whole.reserve(json.size());
  while (!json.empty()) {
    const std::size_t plain = std::min(json.find('\\'), json.size());
    whole.append(json.substr(0, plain));
    json.remove_prefix(plain);
    const std::uint32_t unit = unit_of(json) & 0xfc00;
    const bool surrogate = unit == 0xd800 || unit == 0xdc00;
    const bool pair = unit == 0xd800 && (unit_of(json.substr(kEscape)) & 0xfc00) == 0xdc00;
    const std::size_t bytes = std::min<std::size_t>(pair ? 2 * kEscape : surrogate ? kEscape : 2, json.size());
    whole.append(surrogate && !pair ? std::string_view("\\ufffd") : json.substr(0, bytes));
    json.remove_prefix(bytes);
  }
  return whole;
}

}  // namespace frond::text
