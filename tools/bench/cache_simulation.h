#pragma once
// The GPU's list cache replayed on the host: which of a query log's lists a device of so many bytes would hold.
// Admission, eviction and the memory's cutting are the very ones of leaf/gpu/device_cache.h
// (leaf/lists/segmented_lru.h, common/device/arena.h), sizes those of its images; only the copying is left out. A list
// that is missing is taken to be there for the next query: the copier is as fast as the callers.
#include <cstdint>
#include <span>
#include <vector>

namespace frond::tools {

// A log by numbers of lists: queries[q] are the distinct lists of query q, bytes[list] what the list takes on a device.
struct CacheLog {
  std::vector<std::vector<std::uint32_t>> queries;
  std::vector<std::size_t> bytes;
  // Of all lists that the log asks for.
  std::size_t all_bytes() const;
};

struct CacheReplay {
  std::uint64_t lists = 0, list_hits = 0;     // looked up, and there
  std::uint64_t queries = 0, query_hits = 0;  // those with a list, and with all their lists there: the GPU's
  std::uint64_t asked_bytes = 0, hit_bytes = 0;
  std::uint64_t evictions = 0, refused = 0;  // refused: not admitted, or no room for it in one piece
};

// Replays the log on an empty cache, and counts from query `count_from` on.
CacheReplay replay(const CacheLog& log, std::size_t cache_bytes, std::size_t count_from);

}  // namespace frond::tools
