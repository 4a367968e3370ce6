#pragma once
// Intersects queries in batches on the device: PARA of Ao et al. 2011 §3.1. Queries are taken until their shortest
// lists have `threshold` docIDs together (the computational threshold), and go to the device as one batch: one copy
// there, a few kernels, and answers that the last kernel writes straight into pinned memory of the host. A few batches
// may be under way, each in a slot with its own stream, so that the host prepares one while the device works at others.
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "leaf/gpu/intersect/device_index.h"
#include "leaf/gpu/intersect/query_set.h"

namespace frond::leaf::gpu::intersect {

struct IntersectorOptions {
  std::uint32_t threshold = 1u << 20;
  std::uint32_t slots = 8;
  std::uint32_t max_queries = 1u << 15;  // of a batch
};

// Of one batch; stays until its slot is taken again: `slots` submits later.
struct Answers {
  std::size_t first_query = 0;
  std::span<const std::uint32_t> begins;  // of every query's documents, and one behind the last's
  std::span<const DocId> docids;
  std::size_t queries() const { return begins.size() - 1; }
  std::span<const DocId> of(std::size_t query) const {  // counted from first_query; ascending
    return docids.subspan(begins[query], begins[query + 1] - begins[query]);
  }
};

// Not thread-safe: one thread submits and collects.
class Intersector {
 public:
  // The index outlives it. kDevice; kInvalid: no slot, or a threshold that no batch can hold.
  static Result<Intersector> create(const DeviceIndex& index, const IntersectorOptions& options);
  Intersector(Intersector&&) noexcept;
  ~Intersector();

  // Starts a batch of queries from `first` on; returns how many it took. A query with more than kMaxQueryLists
  // lists is kInvalid. All slots taken: collect() first.
  Result<std::size_t> submit(const QuerySet& queries, std::size_t first);
  // Waits for the batch that was submitted first. There is one.
  Result<Answers> collect();
  std::size_t under_way() const { return under_way_.size(); }
  std::size_t slots() const { return slots_.size(); }

 private:
  struct Slot;
  struct Input;
  // What a slot can hold, or a batch takes of it.
  struct Room {
    std::uint32_t queries = 0, lists = 0, tiles = 0, pairs = 0, splitters = 0;
  };
  struct InputArrays;
  Intersector(const DeviceIndex& index, const IntersectorOptions& options, std::vector<std::unique_ptr<Slot>> slots);
  Result<Input> take(const QuerySet& queries, std::size_t first, const Room& room) const;
  void write(const QuerySet& queries, std::size_t first, const Input& input, std::byte* staged) const;
  Result<void> launch(Slot& slot, const Input& input);

  const DeviceIndex* index_;
  IntersectorOptions options_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::deque<std::size_t> under_way_;  // slots
  std::size_t next_ = 0;               // slot
};

}  // namespace frond::leaf::gpu::intersect
