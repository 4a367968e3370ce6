#pragma once
// A read-only RocksDB whose values are handed out where they are mapped. Internal: includes RocksDB.
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/db.h>

#include "common/base/result.h"
#include "common/partition/format.h"
#include "common/partition/partition.h"

namespace frond::partition {

// Where a folder's *.sst files lie in this process's memory: what decides whether a value may be read past its end.
class MappedFiles {
 public:
  // Reads /proc/self/maps. Where that fails nothing counts as mapped, and values are copied: slower, never wrong.
  static MappedFiles of(const std::filesystem::path& folder);
  // True if `bytes` lie in one mapping, with `slack` readable bytes after them.
  bool holds(ByteView bytes, std::size_t slack) const;
  std::size_t count() const { return ranges_.size(); }

 private:
  struct Range {
    std::uintptr_t begin, end;
  };
  std::vector<Range> ranges_;  // ascending
};

// Any thread. Always in a shared_ptr, which what it hands out keeps.
class Database : public std::enable_shared_from_this<Database> {
 public:
  enum class Checks { kVerify, kTrust };  // block checksums
  static Result<std::shared_ptr<const Database>> open(const std::filesystem::path& folder);
  ~Database();

  Result<PinnedBytes> get(Family family, std::string_view key, Checks checks) const;  // kNotFound, kCorrupt
  std::unique_ptr<rocksdb::Iterator> iterator(Family family) const;                   // verifies checksums
  Result<void> verify_checksums() const;
  std::string where(Family family, std::string_view key) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  Database() = default;
  std::filesystem::path folder_;
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilyNames.size()> families_{};
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;  // as RocksDB gave them, to be given back
  MappedFiles mapped_;
};

// The column families of a partition's database, `default` first.
std::vector<rocksdb::ColumnFamilyDescriptor> family_descriptors();
// The file that says that a database is whole.
std::filesystem::path completion_mark(const std::filesystem::path& database);

}  // namespace frond::partition
