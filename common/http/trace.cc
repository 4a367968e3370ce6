#include "common/http/trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>

namespace frond::http {
namespace {

// "00-" trace id "-" parent's id "-" flags; a later version may have more behind another "-".
constexpr std::size_t kLength = 55, kTraceAt = 3, kParentAt = 36, kFlagsAt = 53;

// Two digits of each byte.
constexpr std::array<char, 512> kHex = [] {
  std::array<char, 512> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = "0123456789abcdef"[i % 2 == 0 ? i / 32 : i / 2 % 16];
  return pairs;
}();

template <std::size_t N>
void append_hex(std::string& out, const std::uint64_t (&values)[N]) {
  std::array<char, 16 * N> digits;
  for (std::size_t n = 0; n < N; ++n)
    for (std::size_t i = 0; i < 8; ++i)
      std::memcpy(&digits[16 * n + 2 * i], &kHex[2 * (values[n] >> (56 - 8 * i) & 255)], 2);
  out.append(digits.data(), digits.size());
}

// Of lower-case digits, as the standard wants them.
std::optional<std::uint64_t> hex_of(std::string_view digits) {
  std::uint64_t value = 0;
  const bool lower = std::none_of(digits.begin(), digits.end(), [](char c) { return c >= 'A' && c <= 'F'; });
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (!lower || error != std::errc() || end != digits.data() + digits.size()) return {};
  return value;
}

bool continues(std::string_view field, Trace& trace) {
  if (field.size() < kLength || field[2] != '-' || field[kParentAt - 1] != '-' || field[kFlagsAt - 1] != '-')
    return false;
  const auto version = hex_of(field.substr(0, 2));
  if (!version || *version == 0xff || (field.size() > kLength && (*version == 0 || field[kLength] != '-')))
    return false;
  const auto high = hex_of(field.substr(kTraceAt, 16)), low = hex_of(field.substr(kTraceAt + 16, 16));
  const auto parent = hex_of(field.substr(kParentAt, 16)), flags = hex_of(field.substr(kFlagsAt, 2));
  if (!high || !low || !parent || !flags || (*high | *low) == 0 || *parent == 0) return false;
  trace.high = *high;
  trace.low = *low;
  trace.parent = *parent;
  trace.sampled = (*flags & 1) != 0;
  return true;
}

bool may_be_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxRequestId && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.:/+=@").find(c) != std::string_view::npos;
  });
}

}  // namespace

// Nobody needs to be unable to guess it. SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, figure 16).
std::uint64_t new_span_id() {
  thread_local std::uint64_t state = [] {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }();
  std::uint64_t mixed = state += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  return std::max<std::uint64_t>(mixed ^ mixed >> 31, 1);
}

Sample::Sample(double share)
    : least_(share >= 1 ? 0 : ~std::uint64_t{0} - static_cast<std::uint64_t>(std::ldexp(share, 64))), on_(share > 0) {}

std::string Trace::trace_id() const {
  std::string text;
  text.reserve(32);
  append_hex(text, {high, low});
  return text;
}

std::string Trace::request_id() const {
  std::string text;
  append_request_id(text);
  return text;
}

void Trace::append_request_id(std::string& out) const {
  if (chosen_id) {
    out += *chosen_id;
    return;
  }
  append_hex(out, {high, low});
}

std::string Trace::traceparent() const {
  std::string text = "00-";
  text.reserve(kLength);
  append_hex(text, {high, low});
  text += '-';
  append_hex(text, {span});
  return text.append(sampled ? "-01" : "-00");
}

Trace trace_of(std::string_view traceparent, std::string_view request_id) {
  Trace trace;
  if (!continues(traceparent, trace)) {
    trace.high = new_span_id();
    trace.low = new_span_id();
  }
  trace.span = new_span_id();
  if (may_be_id(request_id)) trace.chosen_id = std::make_shared<const std::string>(request_id);
  return trace;
}

}  // namespace frond::http
