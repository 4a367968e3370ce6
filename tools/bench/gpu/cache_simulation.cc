#include "tools/bench/gpu/cache_simulation.h"

#include <cstddef>
#include <memory>
#include <string>

#include "common/device/arena.h"
#include "leaf/lists/kept_lists.h"

namespace frond::tools::bench {
namespace {

constexpr std::uint64_t kPartition = 1;

class Simulation {
 public:
  // The arena never reads the memory that it hands out, so no memory is allocated. Addresses begin behind the null
  // pointer.
  explicit Simulation(std::size_t bytes)
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the pointer is never dereferenced
      : arena_(reinterpret_cast<std::byte*>(device::Arena::kGranule), bytes), kept_(bytes) {}

  bool look_up(std::uint32_t list) { return kept_.find(key(list)) != nullptr; }

  // Does what DeviceCache does with a missing list. False: the list is not admitted, or there is no room.
  bool fetch(std::uint32_t list, std::size_t bytes) {
    if (!kept_.admits(key(list), bytes)) return false;
    std::byte* piece = arena_.allocate(bytes);
    while (!piece && kept_.evict_one()) piece = arena_.allocate(bytes);
    if (!piece) return false;
    kept_.insert(key(list), std::make_shared<const Resident>(arena_, piece), bytes);
    return true;
  }
  std::uint64_t evictions() const { return kept_.evictions(); }

 private:
  struct Resident final : leaf::lists::KeptList {
    Resident(device::Arena& arena, std::byte* piece) : arena_(arena), piece_(piece) {}
    ~Resident() { arena_.release(piece_); }
    Resident(const Resident&) = delete;
    Resident& operator=(const Resident&) = delete;
    device::Arena& arena_;
    std::byte* const piece_;
  };
  static leaf::lists::ListKey key(std::uint32_t list) { return {kPartition, std::to_string(list)}; }
  device::Arena arena_;  // outlives kept_
  leaf::lists::KeptLists kept_;
};

}  // namespace

std::size_t CacheLog::all_bytes() const {
  std::vector<bool> asked(bytes.size(), false);
  std::size_t sum = 0;
  for (const auto& query : queries)
    for (const auto list : query) {
      if (!asked[list]) sum += bytes[list];
      asked[list] = true;
    }
  return sum;
}

CacheReplay replay(const CacheLog& log, std::size_t cache_bytes, std::size_t count_from) {
  Simulation cache(cache_bytes);
  CacheReplay counted;
  std::uint64_t evicted_before = 0;
  for (std::size_t q = 0; q < log.queries.size(); ++q) {
    const bool counts = q >= count_from;
    if (q == count_from) evicted_before = cache.evictions();
    std::vector<std::uint32_t> missing;
    for (const auto list : log.queries[q]) {
      const bool hit = cache.look_up(list);
      if (!hit) missing.push_back(list);
      if (!counts) continue;
      ++counted.lists;
      counted.asked_bytes += log.bytes[list];
      counted.list_hits += hit;
      counted.hit_bytes += hit ? log.bytes[list] : 0;
    }
    if (counts && !log.queries[q].empty()) {
      ++counted.queries;
      counted.query_hits += missing.empty();
    }
    for (const auto list : missing) {
      const bool fetched = cache.fetch(list, log.bytes[list]);
      if (counts) counted.refused += !fetched;
    }
  }
  counted.evictions = cache.evictions() - evicted_before;
  return counted;
}

}  // namespace frond::tools::bench
