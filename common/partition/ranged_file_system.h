#pragma once
// How RocksDB reads *.sst files that lie elsewhere: each read becomes a request for a range. Internal: includes
// RocksDB.
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include <rocksdb/file_system.h>

#include "common/partition/partition_writer.h"
#include "common/partition/published_partition.h"

namespace frond::partition {

// Shorter reads ask for so many bytes, and what follows is kept for the next read.
inline constexpr std::size_t kLeastRange = std::size_t{16} << 10;

// One thread. Other files than those given are the local file system's.
class RangedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  RangedFileSystem(std::span<const PartitionFile> files, ReadRange read);
  const char* Name() const override { return "ranged"; }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFileSize(const std::string& name, const rocksdb::IOOptions& options, std::uint64_t* bytes,
                                rocksdb::IODebugContext* debug) override;

 private:
  const PartitionFile* find(const std::string& name) const;
  std::map<std::string, PartitionFile, std::less<>> files_;  // by name, without a folder
  const ReadRange read_;
};

}  // namespace frond::partition
