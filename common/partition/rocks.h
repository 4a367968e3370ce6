#pragma once
// How this folder uses RocksDB: options, statuses and exceptions to Results. Internal; the only folder that includes
// it.
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/partition.h"

namespace frond::partition {

inline rocksdb::Slice slice_of(std::string_view text) { return {text.data(), text.size()}; }
inline rocksdb::Slice slice_of(ByteView bytes) { return slice_of(as_text(bytes)); }
inline std::string_view text_of(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }
inline ByteView bytes_of(const rocksdb::Slice& slice) { return as_bytes(text_of(slice)); }

// One set for writing and for reading: no compression (postings are packed, documents compressed by us), XXH3 block
// checksums, every file open, and no LOG files: what goes wrong comes back as a status. Nothing is cached, but
// kBuffered: a file's index is read where it is needed, through a cache of kIndexCacheBytes. Readers of mapped files
// add the environment of a MappedFileSystem; RocksDB's own mappings are not used, for what ends with them is the
// process.
inline constexpr std::size_t kIndexCacheBytes = std::size_t{4} << 20;
rocksdb::Options table_options(FileReads reads = FileReads::kCopied);

// Not found, corrupt, or unavailable (the disk said no), with where it happened.
Error error_of(const rocksdb::Status& status, std::string_view where);

// What could not be written, and where: kInvalid where it is what was to be written (keys out of order), else
// kUnavailable: the disk.
Error write_error(const rocksdb::Status& status, const std::filesystem::path& file);

// A wall: RocksDB and the allocator may throw, we do not.
template <class Call>
auto guarded(std::string_view where, Call&& call) -> decltype(call()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& thrown) {
    return Error(Code::kUnavailable, std::string(where) + ": " + thrown.what());
  }
}

}  // namespace frond::partition
