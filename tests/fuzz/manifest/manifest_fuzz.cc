// Any bytes as a manifest, signed or not, as CURRENT and as the record of a writer's lease. What reads must write and
// read back the same. A second pass repairs the manifest's checksum, so that the members are reached.
#include <cstddef>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "common/base/check.h"
#include "common/partition/file_checksum.h"
#include "common/repository/files.h"
#include "common/repository/leases/writer_lease.h"
#include "common/repository/manifest.h"

namespace {
void read(std::string_view text) {
  const auto manifest = frond::repository::manifest_from_json(text);
  if (!manifest) return;
  const std::string written = frond::repository::to_json(*manifest);
  const auto again = frond::repository::manifest_from_json(written);
  FROND_CHECK(again.has_value() && frond::repository::to_json(*again) == written);
}
void read_current(std::string_view text) {
  const auto line = frond::repository::parse_current_line(text);
  if (!line) return;
  const auto again = frond::repository::parse_current_line(frond::repository::to_text(*line));
  FROND_CHECK(again && again->generation == line->generation && again->epoch == line->epoch);
}
void read_lease(std::string_view text) {
  const auto record = frond::repository::lease_record_from_json(text);
  if (!record) return;
  const auto again = frond::repository::lease_record_from_json(frond::repository::to_json(*record));
  FROND_CHECK(again && *again == *record);
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text);
  read_current(text);
  read_lease(text);
  auto document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("manifest")) return 0;
  try {
    document["xxh3"] = frond::partition::xxh3_hex(frond::as_bytes(document["manifest"].dump()));
    read(document.dump());
  } catch (const nlohmann::json::exception&) {  // not UTF-8
  }
  return 0;
}
