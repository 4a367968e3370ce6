#pragma once
// What an input may take of a memory limit. Parts of the limit alone, so that which records are refused depends on
// nothing else.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

// A longer record is malformed.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{64} << 20;
// The longest window of zstd: what its --long=31 needs.
inline constexpr std::uint64_t kMaxWindowBytes = std::uint64_t{1} << 31;

struct InputLimits {
  // A record may have a 16th of the limit, kMaxRecordBytes at most; a window an eighth, kMaxWindowBytes at most.
  static InputLimits of(std::uint64_t memory_limit);

  std::uint64_t memory_limit = 0;  // 0: none
  std::size_t record_bytes = kMaxRecordBytes;
  std::uint64_t window_bytes = kMaxWindowBytes;
  // Told what the window or the dictionary of the file at hand takes, before it is allocated; 0 when the file is
  // closed.
  std::function<void(std::uint64_t bytes)> on_window;

  // Why a window of so many bytes is refused where `most` can be read, and which limit would do. `what`: "a window of".
  std::string too_wide(std::string_view what, std::uint64_t window, std::uint64_t most = kMaxWindowBytes) const;
};

// Why a record of more than `max_bytes` is refused.
std::string too_long(std::size_t max_bytes);

// "8 MiB"; rounded up.
std::string in_mebibytes(std::uint64_t bytes);

}  // namespace frond::indexer::ingest
