#pragma once
// Names and values of HTTP whose letters may be small or large. Boost.Beast 1.81's iequals() reads a byte behind texts
// whose last characters differ.
#include <algorithm>
#include <string_view>

namespace frond::http {

// Whether they differ in the case of ASCII letters at most.
constexpr bool iequals(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, [&](char one, char other) { return lower(one) == lower(other); });
}

}  // namespace frond::http
