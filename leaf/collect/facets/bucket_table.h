#pragma once
// Counts by 64-bit bucket, or numbers of buckets: an open hash table. Where a bucket lies depends on a number that each
// process draws, so that nobody can choose values that all lie in one place; what take() returns does not.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace frond::leaf::collect {

// One thread.
class BucketTable {
 public:
  struct Bucket {
    std::uint64_t bucket = 0, count = 0;  // count 0: a free place
  };
  explicit BucketTable(std::uint64_t seed = seed_of_process()) : seed_(seed), slots_(64) {}

  std::size_t size() const { return used_; }
  std::size_t bytes() const { return slots_.size() * sizeof(Bucket); }
  void add(std::uint64_t bucket) { ++count_of(bucket); }
  // Of a new bucket 0, and then the caller sets it before anything else.
  std::uint64_t& count_of(std::uint64_t bucket) {
    std::size_t place = place_in(slots_, bucket);
    if (slots_[place].count == 0 && ++used_ > slots_.size() / 2) {
      grow();
      place = place_in(slots_, bucket);
    }
    slots_[place].bucket = bucket;
    return slots_[place].count;
  }
  // All, by ascending bucket. Once, last.
  std::vector<Bucket> take() {
    std::erase_if(slots_, [](const Bucket& slot) { return slot.count == 0; });
    std::ranges::sort(slots_, {}, &Bucket::bucket);
    return std::move(slots_);
  }
  // Places that are taken one behind the other, at most: how far a search may go. For tests.
  std::size_t longest_run() const {
    std::size_t longest = 0, run = 0;
    for (const Bucket& slot : slots_) longest = std::max(longest, run = slot.count == 0 ? 0 : run + 1);
    return longest;
  }

 private:
  static std::uint64_t seed_of_process();
  std::size_t place_in(const std::vector<Bucket>& slots, std::uint64_t bucket) const {
    std::uint64_t mixed = (bucket ^ seed_) * 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ mixed >> 32) * (seed_ | 1);
    std::size_t place = mixed >> (64 - std::countr_zero(slots.size()));
    while (slots[place].count != 0 && slots[place].bucket != bucket) place = (place + 1) % slots.size();
    return place;
  }
  void grow();

  const std::uint64_t seed_;
  std::vector<Bucket> slots_;  // a power of two
  std::size_t used_ = 0;
};

}  // namespace frond::leaf::collect
