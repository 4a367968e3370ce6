#pragma once
// Writes sorted entries to SST files of bounded size. Internal: includes RocksDB.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rocksdb/sst_file_writer.h>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "common/base/result.h"
#include "common/partition/files/rocks.h"
#include "common/partition/partition_writer.h"

namespace frond::partition {

// Writes sorted entries to one SST file. Internal: includes RocksDB.

// One thread. RocksDB may throw: callers are in guarded(). The file's pages stay in the cache, since its first reader
// follows.
class SstFile {
 public:
  // env: whose files it writes; null: those of the default environment. It outlives this.
  explicit SstFile(std::filesystem::path path, rocksdb::Env* env = nullptr)
      : path_(std::move(path)),
        options_(options_with(env)),
        writer_(rocksdb::EnvOptions(options_), options_, nullptr, /*invalidate_page_cache=*/false) {}

  // Creates it. Errors, of every method, name the file: kUnavailable, if it cannot be written.
  Result<void> open() { return outcome(writer_.Open(path_.string())); }
  // Keys come in ascending byte order (kInvalid).
  Result<void> put(std::string_view key, ByteView value) {
    return outcome(writer_.Put(slice_of(key), slice_of(value)));
  }
  // Flushes and syncs. Called once, last.
  Result<void> finish() { return outcome(writer_.Finish(&info_)); }
  // After finish(), of a file in the default environment: as describe_file(), without reading it.
  PartitionFile described() const {
    FROND_CHECK(!info_.file_checksum.empty());
    return {path_.filename().string(), info_.file_size, info_.file_checksum};
  }
  std::uint64_t size() { return writer_.FileSize(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  static rocksdb::Options options_with(rocksdb::Env* env);
  Result<void> outcome(const rocksdb::Status& status) const {
    if (!status.ok()) return write_error(status, path_);
    return {};
  }
  const std::filesystem::path path_;
  const rocksdb::Options options_;
  rocksdb::SstFileWriter writer_;
  rocksdb::ExternalSstFileInfo info_;
};

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
