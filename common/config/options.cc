#include "common/config/options.h"

#include <algorithm>
#include <cmath>

#include "common/base/text.h"
#include "common/config/version.h"

namespace frond::config {
namespace {

Error invalid(std::string_view text, std::string_view expected) {
  return Error(Code::kInvalid, "'" + std::string(text) + "' is not " + std::string(expected));
}

}  // namespace

std::string_view version() { return FROND_VERSION; }

Result<std::uint64_t> parse_byte_size(std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto value = number_in<double>(text.substr(0, digits));
  std::string unit(text.substr(digits));
  unit.erase(0, unit.find_first_not_of(' '));
  struct Unit {
    std::string_view name;
    double bytes;
  };
  constexpr Unit kUnits[] = {{"", 1},       {"B", 1},        {"K", 0x1p10},   {"KiB", 0x1p10}, {"KB", 1e3},
                             {"M", 0x1p20}, {"MiB", 0x1p20}, {"MB", 1e6},     {"G", 0x1p30},   {"GiB", 0x1p30},
                             {"GB", 1e9},   {"T", 0x1p40},   {"TiB", 0x1p40}, {"TB", 1e12}};
  for (const Unit& known : kUnits)
    if (value && unit == known.name && *value * known.bytes < 0x1p63)
      return static_cast<std::uint64_t>(std::llround(*value * known.bytes));
  return invalid(text, "a size in bytes (such as 4096, 64KiB, 1.5GiB)");
}

Result<Shard> parse_shard(std::string_view text) {
  const auto slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto number = number_in<std::uint32_t>(text.substr(0, slash));
    const auto count = number_in<std::uint32_t>(text.substr(slash + 1));
    if (number && count && *number < *count) return Shard{*number, *count};
  }
  return invalid(text, "I/N with I below N");
}

Result<LogLevel> parse_log_level(std::string_view text) {
  constexpr std::string_view kNames[] = {"debug", "info", "warn", "error"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), text);
  if (found == std::end(kNames)) return invalid(text, "debug, info, warn or error");
  return static_cast<LogLevel>(found - std::begin(kNames));
}

}  // namespace frond::config
