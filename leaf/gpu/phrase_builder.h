#pragma once
// The phrases of a batch: what kernels are given of them, and what they do to the bounds of their queries' terms.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "leaf/gpu/batch.h"

namespace frond::leaf::gpu {

struct ReadyPlan;

// One thread. Keeps its memory from one batch to the next.
class PhraseBuilder {
 public:
  void clear();
  // Of a query with this number in the batch, whose plan has one. `terms`: the query's, in their order.
  void add(const ReadyPlan& ready, std::uint32_t number, QueryOnDevice& query, std::span<TermOnDevice> terms);
  // Appends all of them to `bytes`, which will be copied to `base`, and leads the queries to theirs.
  void place(std::span<QueryOnDevice> queries, const std::byte* base, ByteBuffer& bytes);

 private:
  std::vector<WordOnDevice> words_;  // of all phrases in their order
  std::vector<PhraseOnDevice> phrases_;
  std::vector<std::uint32_t> queries_;  // of each phrase the query
};

}  // namespace frond::leaf::gpu
