#pragma once
// What kernels are given of the clauses of a batch's queries, and what phrases do to the bounds of their queries'
// terms.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "leaf/gpu/batch.h"

namespace frond::leaf::gpu {

struct ReadyPlan;

// One thread. Keeps its memory from one batch to the next.
class ClauseBuilder {
 public:
  void clear();
  // Of a query with this number in the batch. `terms`: the query's, in their order.
  void add(const ReadyPlan& ready, std::uint32_t number, QueryOnDevice& query, std::span<TermOnDevice> terms);
  const ClausesOnDevice& last() const { return clauses_.back(); }
  // Appends all of them to `bytes`, which will be copied to `base`, and leads the queries to theirs.
  void place(std::span<QueryOnDevice> queries, const std::byte* base, ByteBuffer& bytes);

 private:
  void add_phrase(const ReadyPlan& ready, QueryOnDevice& query, std::span<TermOnDevice> terms, PhraseOnDevice& made);

  std::vector<WordOnDevice> words_;    // of all phrases in their order
  std::vector<FieldOnDevice> fields_;  // likewise of all queries
  std::vector<ClausesOnDevice> clauses_;
  std::vector<std::uint32_t> queries_;  // of each of these the query
};

}  // namespace frond::leaf::gpu
