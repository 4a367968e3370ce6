#pragma once
// From pages of hits to lines of JSON that the indexer's service takes.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/elasticsearch/mapping.h"

namespace frond::tools {

// A page of hits, as Elasticsearch answers it.
struct SourcePage {
  struct Refused {
    std::string id, why;
  };
  std::vector<std::string> lines;  // one for each hit that is not refused, with its end
  std::vector<Refused> refused;    // hits without _source, or with one that is no proper JSON
  bool first = false;              // by SourceIndex: nothing was read before
  std::string after;               // JSON: the values that the last hit is sorted by; empty: no hits, or no order
  std::string context;             // the point in time or the scroll to go on with; empty: as before
  std::uint64_t total = 0;         // hits in all, where it was asked for
  std::size_t hits() const { return lines.size() + refused.size(); }
};

// Lines are {"id":…, "COLUMN":[values], …, "_source":{as it came}}. Values are taken as Elasticsearch takes them: "3.7"
// for a whole number is 3; those that can't be taken are left out. kCorrupt: no such answer, or a
// hit without _id; kUnavailable: a shard that failed.
Result<SourcePage> read_page(const std::vector<elasticsearch::MappedField>& fields, std::string_view answer);

}  // namespace frond::tools
