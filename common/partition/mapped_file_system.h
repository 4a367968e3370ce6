#pragma once
// How RocksDB reads *.sst files here: what it interprets is copied from a mapping, checked, into memory of its own, so
// a file that fails is an error of that read; it never looks into the mapping itself. A long posting list would cost
// more to copy than to use: of that, RocksDB only tells where it lies (BlockPlace), and it is used where it is mapped.
//
// Internal: includes RocksDB.
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/partition/mapped_file.h"

namespace frond::partition {

// Blocks from this size on are not read while a BlockPlace is there; so large are the lists that are worth it.
inline constexpr std::size_t kLongBlockBytes = 16u << 10;

// While one lives, a read on its thread of kLongBlockBytes or more reads nothing: it fails, and where it would have
// read stands here. One at a time on a thread.
class BlockPlace {
 public:
  BlockPlace();
  ~BlockPlace();
  BlockPlace(const BlockPlace&) = delete;
  BlockPlace& operator=(const BlockPlace&) = delete;

  bool found() const { return file_ != nullptr; }
  const MappedFile& file() const { return *file_; }
  std::uint64_t offset() const { return offset_; }
  std::size_t bytes() const { return bytes_; }  // of the block, with its trailer

  static BlockPlace* of_this_thread();
  void set(const MappedFile& file, std::uint64_t offset, std::size_t bytes) {
    file_ = &file;
    offset_ = offset;
    bytes_ = bytes;
  }

 private:
  const MappedFile* file_ = nullptr;  // open as long as its database is
  std::uint64_t offset_ = 0;
  std::size_t bytes_ = 0;
};

// The files that one database, or one table, has open.
class MappedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  MappedFileSystem();
  const char* Name() const override { return "mapped"; }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override;

  // Nothing of the files was lost as far as is known. One atomic read. Else why: kCorrupt, kUnavailable.
  Result<void> intact() const { return loss_->happened() ? Result<void>(what_is_lost()) : Result<void>(); }
  // The same, after every file was asked for its size.
  Result<void> check() const;

 private:
  Error what_is_lost() const;

  const std::shared_ptr<const Loss> loss_ = std::make_shared<Loss>();
  mutable Mutex mutex_;
  std::vector<std::weak_ptr<const MappedFile>> files_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::partition
