#pragma once
// How RocksDB reads *.sst files that lie elsewhere: each read becomes a request for a range. Reads that are known
// before are planned first, and fetched together. Internal: includes RocksDB.
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "common/partition/partition_writer.h"
#include "common/partition/published_partition.h"

namespace frond::partition {

// Shorter reads ask for so many bytes, and what follows is kept for the next read.
inline constexpr std::size_t kLeastRange = std::size_t{16} << 10;
// Planned ranges with a smaller gap between them are fetched as one, of so many bytes at most.
inline constexpr std::size_t kClosedGap = std::size_t{16} << 10;
inline constexpr std::size_t kMostTogether = std::size_t{1} << 20;
inline constexpr std::size_t kRequestsAtOnce = 16;  // for what is planned

// One thread; `read` is called from several at once. Other files than those given are the local file system's.
class RangedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  RangedFileSystem(std::span<const PartitionFile> files, ReadRange read);
  const char* Name() const override { return "ranged"; }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFileSize(const std::string& name, const rocksdb::IOOptions& options, std::uint64_t* bytes,
                                rocksdb::IODebugContext* debug) override;

  // From begin_plan() to end_plan(), a read that needs a request is planned, and fails.
  void begin_plan() { planning_ = true; }
  void end_plan() { planning_ = false; }
  std::uint64_t planned_bytes() const { return planned_bytes_; }
  // Fetches what is planned, and holds it for later reads until the next call. After an error, some of it is held.
  Result<void> fetch_planned();

 private:
  struct Range {
    std::uint64_t from = 0, end = 0;
  };
  struct File {
    PartitionFile file;
    std::vector<Range> planned{};
    std::map<std::uint64_t, ByteBuffer> held{};  // by where they begin
    // Where the bytes are in `held`; null: they are not.
    const std::byte* find_held(std::uint64_t from, std::size_t bytes) const;
  };
  class RandomAccess;
  File* find(const std::string& name);
  std::map<std::string, File, std::less<>> files_;  // by name, without a folder
  const ReadRange read_;
  bool planning_ = false;
  std::uint64_t planned_bytes_ = 0;
};

}  // namespace frond::partition
