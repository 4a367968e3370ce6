#pragma once
// Finds a few external ids in a partition whose files lie elsewhere, without all of its ids.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"
#include "common/partition/ranged_files.h"

namespace frond::partition {

// An id takes less, where it is far from others; from so many bytes of ids for each, they are better fetched whole.
inline constexpr std::size_t kBytesPerRangedId = std::size_t{128} << 10;

// One thread.
class RangedIds {
 public:
  // name: begins the messages of errors. summary: what was published. Reads nothing yet.
  static std::unique_ptr<RangedIds> open(std::string name, const PartitionSummary& summary, ReadRange read);
  virtual ~RangedIds() = default;
  // For each id, which come in byte order: its document; nothing if the partition does not have it. Answers are waited
  // for about ten times, whatever their number below 256. Blocks are verified. Errors: kCorrupt, kUnavailable.
  virtual Result<std::vector<std::optional<DocId>>> find(std::span<const std::string_view> ids) = 0;
};

}  // namespace frond::partition
