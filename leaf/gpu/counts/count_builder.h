#pragma once
// Makes a batch of counts or orders (count_batch.h) of plans with all that they need on the device. Needs no device.
#include <cstddef>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "leaf/gpu/batch_builder.h"
#include "leaf/gpu/counts/count_batch.h"

namespace frond::leaf::gpu {

// The plan's first counter of what is counted behind so many others: sums need an even one.
inline std::size_t first_counter_of(const engine::CountedCodes& counted, std::size_t others) {
  return counted.sums ? others + others % 2 : others;
}
// Counters that the plan needs, an even number: those of all that is counted.
std::size_t counters_of(const engine::Plan& plan);
std::size_t bounds_of(const engine::Plan& plan);  // likewise
// Whether the kernels can count it, with at most kMaxCounters and kMaxBounds, or only its matches: there are 1 to
// kMaxQueryTerms terms, all with postings. If it has an order, keys have at most CodeOrder::kMostBits, and 1 <= k <=
// kMaxHits.
bool fits_counters(const engine::Plan& plan);

Orders orders_of(const engine::Plan& plan);

// How a partition's tiles are assigned to the thread blocks of each of so many queries. With orders there are fewer
// pieces, since each has room for the k first.
struct Pieces {
  std::uint32_t pieces, tiles_a_piece;
};
Pieces pieces_of(std::uint32_t queries, std::uint32_t documents, Orders orders);

// Not thread-safe. Keeps its memory from one batch to the next.
class CountBuilder {
 public:
  // Of one or more plans that fit the counters, all of the same orders_of(). Sets the numbers, the pieces and the
  // pointers to plain data, which will be copied from bytes() to `base`. The caller sets the rest.
  CountBatch build(std::span<const ReadyPlan* const> plans, const std::byte* base);
  // The plain data of the last batch; a multiple of 16 bytes.
  ByteView bytes() const { return bytes_; }

 private:
  void add(const ReadyPlan& ready);
  void add_order(const ReadyPlan& ready, std::size_t first_codes);
  void add_scored(const ReadyPlan& ready);

  std::vector<CountedQuery> queries_;
  std::vector<DeviceList> lists_;
  std::vector<CodesOnDevice> columns_;
  std::vector<std::uint64_t> bounds_;
  std::vector<KeyOnDevice> keys_;
  std::vector<QueryOnDevice> scored_;
  std::vector<TermOnDevice> terms_;
  std::uint32_t counters_ = 0;
  ByteBuffer bytes_;
};

}  // namespace frond::leaf::gpu
