#pragma once
// How this folder uses RocksDB: its options, and its statuses as Results. Internal: includes RocksDB.
#include <cstddef>
#include <filesystem>
#include <string_view>

#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include "common/base/bytes.h"
#include "common/base/guarded.h"  // of what RocksDB throws
#include "common/base/result.h"
#include "common/partition/partition.h"

namespace frond::partition {

inline rocksdb::Slice slice_of(std::string_view text) { return {text.data(), text.size()}; }
inline rocksdb::Slice slice_of(ByteView bytes) { return slice_of(as_text(bytes)); }
inline std::string_view text_of(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }
inline ByteView bytes_of(const rocksdb::Slice& slice) { return as_bytes(text_of(slice)); }

// The options for writing and for reading: no compression (postings are packed, and we compress documents), XXH3 block
// checksums, all files kept open, no LOG files (errors come back as statuses). Nothing is cached, except with kBuffered
// the files' indexes, in `index_cache_bytes`. Readers of mapped files add the environment of a MappedFileSystem;
// RocksDB's own mappings are not used, since a fault in one ends the process. sst_layout.h reads files of this layout,
// too.
inline constexpr std::size_t kIndexCacheBytes = std::size_t{4} << 20;
rocksdb::Options table_options(FileReads reads = FileReads::kCopied, std::size_t index_cache_bytes = kIndexCacheBytes);

// kNotFound, kCorrupt, or kUnavailable if the disk failed; `where` begins the message.
Error error_of(const rocksdb::Status& status, std::string_view where);

// The error of a write to `file`: kInvalid if the data is wrong (keys out of order), kUnavailable if the disk failed.
Error write_error(const rocksdb::Status& status, const std::filesystem::path& file);

}  // namespace frond::partition
