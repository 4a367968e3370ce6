#pragma once
// The tables of a partition's files (file_tables.h), which are mapped or read buffered. Values are copied; long ones
// may be handed out as mapped. Internal: includes RocksDB.
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <rocksdb/iterator.h>

#include "common/base/result.h"
#include "common/partition/files/file_tables.h"
#include "common/partition/files/mapped_file_system.h"
#include "common/partition/format/format.h"
#include "common/partition/partition.h"

namespace frond::partition {

// Always in a shared_ptr; the values that it returns share it. files: those of a PartitionSummary, in `folder`.
class Database : public std::enable_shared_from_this<Database> {
 public:
  // Opens all files. Any thread.
  static Result<std::shared_ptr<const Database>> open(const std::filesystem::path& folder,
                                                      std::span<const PartitionFile> files, FileReads reads);
  // Reads nothing yet: files are opened when they are first asked. One thread. `of_family`: as FileTables has it.
  static std::shared_ptr<const Database> of_files(const std::filesystem::path& folder,
                                                  std::span<const PartitionFile> files, FileReads reads,
                                                  OfFamily of_family = is_file_of);

  // Errors: kNotFound, kCorrupt, kUnavailable. Checksums are verified, except of values that are handed out as mapped.
  Result<PinnedBytes> get(Family family, std::string_view key) const;
  // The same, but no bytes if it is not there.
  Result<PinnedBytes> get_if_there(Family family, std::string_view key) const;
  // What the writer stored. Without it the database is kCorrupt.
  Result<SummaryRecord> summary() const;
  // A long value in its mapped file, without verifying it. Valid as long as the database; reads as zeros if the file is
  // lost, which intact() tells. None if the value is not there, not long, or files are not mapped: ask get().
  Result<std::optional<ByteView>> get_mapped(Family family, std::string_view key) const;
  bool is_mapped() const { return reads_ == FileReads::kMapped; }
  std::unique_ptr<rocksdb::Iterator> iterator(Family family) const;  // verifies checksums
  Result<void> intact() const { return files_->intact(); }
  Result<void> check_files() const { return files_->check(); }
  Result<void> verify_checksums() const;
  std::string where(Family family, std::string_view key) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  Database() = default;
  Result<PinnedBytes> read(Family family, std::string_view key) const;
  struct MappedValue {
    const MappedFile* file = nullptr;
    ByteView bytes;
  };
  // Looks up without reading a long block. Returns the value if it was found that way; else `status` has the outcome.
  Result<std::optional<MappedValue>> look_up_mapped(Family family, std::string_view key, rocksdb::PinnableSlice& value,
                                                    rocksdb::Status& status) const;

  std::filesystem::path folder_;
  FileReads reads_ = FileReads::kCopied;
  std::shared_ptr<MappedFileSystem> files_ = std::make_shared<MappedFileSystem>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(files_);  // outlives what reads through it
  std::unique_ptr<FileTables> tables_;
};

}  // namespace frond::partition
