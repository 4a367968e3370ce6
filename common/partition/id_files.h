#pragma once
// Finds external ids in a partition's files, without ingesting them.
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "common/base/ids.h"
#include "common/partition/partition_writer.h"

namespace frond::partition {

// Whether a file of a partition has ids.
bool has_ids(const PartitionFile& file);

// One thread. Files stay open; memory for their indexes is at most 4 MiB a file.
class IdFiles {
 public:
  // files: those of a PartitionSummary, in `folder`; files of other tables are skipped. Errors, of every method, name
  // the file: kCorrupt, kUnavailable.
  static Result<std::unique_ptr<IdFiles>> open(const std::filesystem::path& folder,
                                               std::span<const PartitionFile> files);
  virtual ~IdFiles() = default;
  // The document; nothing if the partition does not have the id.
  virtual Result<std::optional<DocId>> find(std::string_view id) = 0;
  // Visits every id in byte order, until `visit` returns an error.
  virtual Result<void> for_each(const std::function<Result<void>(std::string_view id, DocId docid)>& visit) = 0;
};

}  // namespace frond::partition
