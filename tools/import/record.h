#pragma once
// From pages of hits to lines of JSON that the indexer's service takes.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "tools/import/mapping_schema.h"

namespace frond::tools {

// A page of hits, as Elasticsearch answers it.
struct SourcePage {
  std::vector<std::string> lines;  // one for each hit, with its end
  std::string after;               // JSON: the values that the last hit is sorted by; empty: no hits, or no order
  std::string context;             // the point in time or the scroll to go on with; empty: as before
  std::uint64_t total = 0;         // hits in all, where it was asked for
};

// Lines are {"id":…, "COLUMN":[values], …, "_source":{as it came}}. Values are taken as Elasticsearch takes them: "3.7"
// for a whole number is 3; those that can't be taken are left out. kCorrupt: no such answer, a shard that failed, or a
// hit without _source.
Result<SourcePage> read_page(const std::vector<ImportedField>& fields, std::string_view answer);

}  // namespace frond::tools
