#pragma once
// How RocksDB reads *.sst files here: every read is copied from a mapping and checked, so a file that fails is an error
// of that read; RocksDB never reads the mapping itself. A long posting list would cost more to copy than to use, so
// RocksDB only finds where it lies (BlockPlace), and it is used as mapped.
//
// Internal: includes RocksDB.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/partition/files/mapped_file.h"

namespace frond::partition {

// Blocks of at least this size are not read while a BlockPlace exists; for smaller lists that does not pay.
inline constexpr std::size_t kLongBlockBytes = 16u << 10;

// While one exists, a read of kLongBlockBytes or more on its thread fails without reading, and this records its file
// and offset. One at a time a thread.
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
  // What RocksDB is to call a part of a file that is a file of its own kind.
  static std::string name_of_part(const std::filesystem::path& file, std::uint64_t offset, std::uint64_t bytes);
  rocksdb::IOStatus GetFileSize(const std::string& name, const rocksdb::IOOptions& options, std::uint64_t* bytes,
                                rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override;

  // kCorrupt or kUnavailable once a file was found cut short or unreadable. One atomic read.
  Result<void> intact() const { return loss_->happened() ? Result<void>(what_is_lost()) : Result<void>(); }
  // The same after checking the size of every file.
  Result<void> check() const;

 private:
  Error what_is_lost() const;
  Result<std::shared_ptr<const MappedFile>> open(const std::string& name, bool shared);

  const std::shared_ptr<const Loss> loss_ = std::make_shared<Loss>();
  mutable Mutex mutex_;
  std::vector<std::weak_ptr<const MappedFile>> files_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::partition
