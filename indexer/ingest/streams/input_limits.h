#pragma once
// How much of the memory limit an input may take. It follows from the limit alone, so which records are refused does
// not depend on threads or on other records.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace frond::indexer::ingest {

// A longer record is a bad record.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{64} << 20;
// The largest window of zstd, which --long=31 writes.
inline constexpr std::uint64_t kMaxWindowBytes = std::uint64_t{1} << 31;

// Memory that blocks of a file were read into, for those of the next file: new memory is set to zeros, and comes from
// the system page by page.
using ReadMemory = std::vector<std::string>;

struct InputLimits {
  // A record may take a 16th of the limit, but at most kMaxRecordBytes; a window an eighth, but at most
  // kMaxWindowBytes.
  static InputLimits of(std::uint64_t memory_limit);

  std::uint64_t memory_limit = 0;  // 0: none
  std::size_t record_bytes = kMaxRecordBytes;
  std::uint64_t window_bytes = kMaxWindowBytes;
  // That decompress a file of many streams, within half of window_bytes. Half of them, at most 8, read a large file
  // that is not compressed.
  std::uint32_t threads = 1;
  std::shared_ptr<ReadMemory> read_memory;  // of files that are read one behind the other; null: none is kept
  // Called with the size of the window or dictionary of the file at hand before that is allocated, and with 0 when the
  // file is closed.
  std::function<void(std::uint64_t bytes)> on_window;

  // Why a window of so many bytes is refused, and which memory limit it needs. `max`: the largest that can be read
  // under any limit. `what`: "a window of".
  std::string too_wide(std::string_view what, std::uint64_t window, std::uint64_t max = kMaxWindowBytes) const;
};

// Why a record of more than `max_bytes` is refused.
std::string too_long(std::size_t max_bytes);

// "8 MiB"; rounded up.
std::string in_mebibytes(std::uint64_t bytes);

}  // namespace frond::indexer::ingest
