#include "leaf/schedule/indexed_heap.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace frond::leaf::schedule {
namespace {

TEST(IndexedHeap, AgreesWithAnOrderedMap) {
  constexpr std::uint32_t kSlots = 200;
  std::mt19937_64 random(7);
  IndexedHeap heap(kSlots);
  std::map<std::uint32_t, std::int64_t> expected;
  for (int step = 0; step < 100'000; ++step) {
    const auto slot = static_cast<std::uint32_t>(random() % kSlots);
    ASSERT_EQ(heap.contains(slot), expected.contains(slot));
    if (heap.contains(slot)) {
      heap.erase(slot);
      expected.erase(slot);
    } else {
      const auto key = static_cast<std::int64_t>(random() % 1000) - 500;
      heap.push(slot, key);
      expected[slot] = key;
    }
    ASSERT_EQ(heap.size(), expected.size());
    if (expected.empty()) continue;
    const auto least = std::min_element(expected.begin(), expected.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    ASSERT_EQ(heap.top_key(), least->second);
    ASSERT_EQ(expected.at(heap.top()), least->second);
  }
}

}  // namespace
}  // namespace frond::leaf::schedule
