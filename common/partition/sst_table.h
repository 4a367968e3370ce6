#pragma once
// Writes sorted entries to SST files of bounded size. Internal: includes RocksDB.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/partition/partition_writer.h"
#include "common/partition/sst_file.h"

namespace frond::partition {

// One thread. Files are "<stem>0001.sst", "<stem>0002.sst", …; a new one begins when the last has `file_bytes`.
class SstTable {
 public:
  SstTable(std::filesystem::path folder, std::string stem, std::uint64_t file_bytes);
  ~SstTable();
  // Keys come in ascending byte order. Errors, naming the file: kInvalid if not; kUnavailable if it cannot be written.
  Result<void> put(std::string_view key, ByteView value);
  // Syncs and checksums the last file. Without entries there are no files. Errors: kUnavailable.
  Result<std::vector<PartitionFile>> finish();
  std::uint64_t entries() const { return entries_; }

 private:
  Result<void> open_next();
  Result<void> close_current();
  std::filesystem::path folder_;
  std::string stem_;
  std::uint64_t file_bytes_;
  std::unique_ptr<SstFile> current_;  // null: none is begun
  std::uint64_t entries_ = 0;
  std::vector<PartitionFile> done_;
};

}  // namespace frond::partition
