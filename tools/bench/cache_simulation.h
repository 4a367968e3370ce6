#pragma once
// The GPU's list cache replayed on the host: which of a query log's lists a device of so many bytes would hold.
// Admission, eviction and memory allocation are those of leaf/gpu/device_cache.h (leaf/lists/segmented_lru.h,
// common/device/arena.h), and sizes are those of its images; only the copying is left out. The replay assumes that a
// list not found is there for the next query: that copying keeps up with the callers.
#include <cstdint>
#include <span>
#include <vector>

namespace frond::tools::bench {

// A query log with numbered lists: queries[q] has the distinct lists of query q, bytes[list] the list's size on a
// device.
struct CacheLog {
  std::vector<std::vector<std::uint32_t>> queries;
  std::vector<std::size_t> bytes;
  std::size_t all_bytes() const;  // of the lists that the log asks for
};

struct CacheReplay {
  std::uint64_t lists = 0, list_hits = 0;     // looked up; found
  std::uint64_t queries = 0, query_hits = 0;  // with a list; with all their lists found, so that the GPU runs them
  std::uint64_t asked_bytes = 0, hit_bytes = 0;
  std::uint64_t evictions = 0, refused = 0;  // refused: not admitted, or no contiguous room
};

// Replays the whole log on an empty cache. Counts from query `count_from` on.
CacheReplay replay(const CacheLog& log, std::size_t cache_bytes, std::size_t count_from);

}  // namespace frond::tools::bench
