#pragma once
// Replays the GPU's list cache on the host: which lists of a query log would a device with so many bytes hold?
// Admission, eviction and memory allocation are those of leaf/gpu/device_cache.h (leaf/lists/kept_lists.h,
// common/device/arena.h). Sizes are those of its images. Only the copying is left out: the replay assumes that it keeps
// up with the callers, so that a missing list is there for the next query.
#include <cstdint>
#include <span>
#include <vector>

namespace frond::tools::bench {

// A query log with numbered lists: queries[q] has the distinct lists of query q, bytes[list] the list's size on a
// device.
struct CacheLog {
  std::vector<std::vector<std::uint32_t>> queries;
  std::vector<std::size_t> bytes;
  std::size_t all_bytes() const;  // size of the lists that the log uses
};

struct CacheReplay {
  std::uint64_t lists = 0, list_hits = 0;     // looked up; found
  std::uint64_t queries = 0, query_hits = 0;  // with a list; with all lists found, so that the GPU runs them
  std::uint64_t asked_bytes = 0, hit_bytes = 0;
  std::uint64_t evictions = 0, refused = 0;  // refused: not admitted, or no contiguous room
};

// Replays the whole log on an empty cache. Counts from query `count_from` on.
CacheReplay replay(const CacheLog& log, std::size_t cache_bytes, std::size_t count_from);

}  // namespace frond::tools::bench
