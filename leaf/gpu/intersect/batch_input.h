#pragma once
// The input of a batch of intersections: which queries it takes, and their arrays (batch.h) in one piece of memory,
// which is written in pinned memory and copied to the device.
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/result.h"
#include "leaf/gpu/intersect/batch.h"
#include "leaf/gpu/intersect/query_set.h"

namespace frond::leaf::gpu::intersect {

// How many queries, lists, … a batch has or has room for.
struct BatchSize {
  std::uint32_t queries = 0, lists = 0, tiles = 0, pairs = 0, splitters = 0;
};

// A piece of memory cut into arrays, one after the other, each aligned to 256. Without memory it only adds up their
// bytes.
class Cut {
 public:
  explicit Cut(std::byte* memory) : memory_(memory) {}
  template <class T>
  T* take(std::size_t count) {
    auto* taken = memory_ ? reinterpret_cast<T*>(memory_ + used_) : nullptr;
    used_ += (count * sizeof(T) + 255) / 256 * 256;
    return taken;
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

// The arrays of a batch's input in a piece of memory; null pointers without memory.
struct InputArrays {
  QueryOnDevice* queries;
  PairOnDevice* pairs;
  std::uint32_t *lists, *tiles;
  std::size_t bytes;
  InputArrays(std::byte* memory, const BatchSize& size);
};

// The queries of one batch: queries [first, first + size.queries) of a set.
struct BatchInput {
  std::size_t first = 0;
  BatchSize size;
  std::uint32_t levels = 0;
  std::uint32_t splitters[kMaxLevels] = {};  // of each level
};

// Takes queries from `first` on until their shortest lists have `threshold` docIDs together, or there is no room for
// the next one. `counts`: docIDs of each list. kInvalid: a query with too many lists, or one that needs more than
// `room`.
Result<BatchInput> take_queries(std::span<const std::uint32_t> counts, const QuerySet& queries, std::size_t first,
                                const BatchSize& room, std::uint32_t threshold, std::uint32_t levels);

// Writes the arrays of the input's queries to `staged`, which has InputArrays(nullptr, input.size).bytes bytes.
void write_input(std::span<const std::uint32_t> counts, const QuerySet& queries, const BatchInput& input,
                 std::byte* staged);

}  // namespace frond::leaf::gpu::intersect
