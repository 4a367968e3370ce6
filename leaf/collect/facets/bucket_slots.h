#pragma once
// The buckets of a facet that is in another one, or has others in it: those with documents have slots, numbered as they
// come.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "leaf/collect/chunk_values.h"
#include "leaf/collect/facets/bucket_table.h"

namespace frond::leaf::collect {

// One thread.
class BucketSlots {
 public:
  struct Slot {
    std::uint32_t around = 0;  // slot of the facet around; 0: there is none
    std::uint32_t number = 0;  // of the bucket, by whoever counts
    std::uint64_t count = 0;
    std::uint32_t slot = 0;
  };

  std::size_t size() const { return slots_.size(); }
  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot) + table_.bytes(); }
  // Counts the row in the bucket of this number, and adds it with the bucket's slot to `into`, which may be null.
  void add(const Row& row, std::uint32_t number, std::vector<Row>* into) {
    std::uint64_t& place = table_.count_of(std::uint64_t{row.slot} << 32 | number);
    if (place == 0) {
      slots_.push_back({row.slot, number, 0, static_cast<std::uint32_t>(slots_.size())});
      place = slots_.size();
    }
    ++slots_[place - 1].count;
    if (into != nullptr) into->push_back({row.document, static_cast<std::uint32_t>(place - 1)});
  }
  // By the slot around, then by key_of(number). Once, last.
  template <class KeyOf>
  std::vector<Slot> take(const KeyOf& key_of) {
    std::ranges::sort(slots_, [&](const Slot& a, const Slot& b) {
      return a.around != b.around ? a.around < b.around : key_of(a.number) < key_of(b.number);
    });
    return std::move(slots_);
  }

 private:
  BucketTable table_;  // the slot and one more, by slot around and number
  std::vector<Slot> slots_;
};

}  // namespace frond::leaf::collect
