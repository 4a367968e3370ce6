#pragma once
// A priority queue of slots, which are numbers below a fixed capacity. Any slot can be taken out. All memory is
// allocated by the constructor. Not thread-safe.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/check.h"

namespace frond::leaf::schedule {

class IndexedHeap {
 public:
  explicit IndexedHeap(std::size_t capacity) : places_(capacity, kOut) { nodes_.reserve(capacity); }

  bool empty() const { return nodes_.empty(); }
  std::size_t size() const { return nodes_.size(); }
  bool contains(std::uint32_t slot) const { return places_[slot] != kOut; }
  // The slot with the smallest key, and that key. REQUIRES: !empty().
  std::uint32_t top() const { return nodes_.front().slot; }
  std::int64_t top_key() const { return nodes_.front().key; }
  // Each slot that is in, at one place below size(), in no order.
  std::uint32_t at(std::size_t place) const { return nodes_[place].slot; }

  // REQUIRES: !contains(slot).
  void push(std::uint32_t slot, std::int64_t key) {
    nodes_.push_back({key, slot});
    rise(nodes_.size() - 1, {key, slot});
  }
  // REQUIRES: contains(slot).
  void erase(std::uint32_t slot) {
    const std::size_t place = places_[slot];
    FROND_CHECK(place != kOut);
    places_[slot] = kOut;
    const Node last = nodes_.back();
    nodes_.pop_back();
    if (place == nodes_.size()) return;
    if (place > 0 && last.key < nodes_[(place - 1) / kWidth].key)
      rise(place, last);
    else
      sink(place, last);
  }

 private:
  static constexpr std::uint32_t kOut = ~std::uint32_t{0};
  static constexpr std::size_t kWidth = 4;  // children of a node
  struct Node {
    std::int64_t key;
    std::uint32_t slot;
  };

  void put(std::size_t place, const Node& node) {
    nodes_[place] = node;
    places_[node.slot] = static_cast<std::uint32_t>(place);
  }
  void rise(std::size_t place, const Node node) {
    while (place > 0) {
      const std::size_t parent = (place - 1) / kWidth;
      if (nodes_[parent].key <= node.key) break;
      put(place, nodes_[parent]);
      place = parent;
    }
    put(place, node);
  }
  void sink(std::size_t place, const Node node) {
    for (;;) {
      const std::size_t first = place * kWidth + 1;
      if (first >= nodes_.size()) break;
      const std::size_t end = first + kWidth < nodes_.size() ? first + kWidth : nodes_.size();
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child)
        if (nodes_[child].key < nodes_[least].key) least = child;
      if (nodes_[least].key >= node.key) break;
      put(place, nodes_[least]);
      place = least;
    }
    put(place, node);
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> places_;  // by slot
};

// How much predicted work waits in a queue, in total and before a job of a given cost when light jobs go first. Sums
// are integers, so that what is added and removed again leaves nothing behind.
class WaitingWork {
 public:
  void add(std::int64_t cost_ns) {
    of_class_[class_of(cost_ns)] += cost_ns;
    total_ += cost_ns;
  }
  void remove(std::int64_t cost_ns) {
    of_class_[class_of(cost_ns)] -= cost_ns;
    total_ -= cost_ns;
  }
  std::int64_t total() const { return total_; }
  // The work of jobs whose cost is at most about this one's: a class is a factor of two.
  std::int64_t before(std::int64_t cost_ns) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0, end = class_of(cost_ns); i <= end; ++i) sum += of_class_[i];
    return sum;
  }

 private:
  static constexpr std::size_t kClasses = 24;  // the first: below 1.024 us
  static std::size_t class_of(std::int64_t cost_ns) {
    const auto bits = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(cost_ns) >> 10));
    return bits < kClasses ? bits : kClasses - 1;
  }
  std::array<std::int64_t, kClasses> of_class_{};
  std::int64_t total_ = 0;
};

}  // namespace frond::leaf::schedule
