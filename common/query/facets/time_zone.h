#pragma once
// How far clocks of a place are ahead of UTC, and since when: from the IANA's database as systems have it, in TZif
// files (RFC 8536).
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::query {

struct ZoneChange {
  std::int64_t at_ms = 0;      // since 1970, UTC
  std::int64_t offset_ms = 0;  // of local time, from then on
  friend bool operator==(const ZoneChange&, const ZoneChange&) = default;
};
// Ascending; the first is from the first of all instants on. Empty: UTC.
using ZoneRules = std::vector<ZoneChange>;
inline constexpr std::size_t kMaxZoneChanges = 1000;
inline constexpr std::int64_t kMaxZoneMs = std::int64_t{1} << 53;     // of changes but the first, before and after 1970
inline constexpr std::int64_t kMaxZoneOffsetMs = 26LL * 3600 * 1000;  // exclusive

// Of "Europe/Berlin", "UTC", "+05:30". Those of names are known up to the year 2100. Reads a file; any thread.
// kInvalid: there is no such zone, or its file cannot be read.
Result<ZoneRules> zone_rules(std::string_view name, const std::filesystem::path& folder = "/usr/share/zoneinfo");

// Of a file's bytes, whatever they are. kCorrupt: they are not of this form, or have more than kMaxZoneChanges changes.
Result<ZoneRules> read_zone(std::string_view bytes);

// Whether they are as ZoneRules are.
bool are_rules(const ZoneRules& rules);

}  // namespace frond::query
