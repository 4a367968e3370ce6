#pragma once
// Makes a batch (batch.h) of plans and of their lists' places on the device. The batch's plain data comes as bytes,
// with pointers for the place in device memory that they will be copied to. Needs no device.
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/postings/long_form.h"
#include "leaf/engine/plan.h"
#include "leaf/gpu/batch.h"
#include "leaf/gpu/clause_builder.h"
#include "leaf/lists/list_store.h"

namespace frond::leaf::gpu {

class DeviceCache;

// The lengths of a partition's documents on the device; they stay there as long as `memory`.
struct ResidentLengths {
  const std::uint32_t* lengths = nullptr;  // device memory
  std::uint32_t min_length = 0;
  std::shared_ptr<const void> memory;
};
// An array by document on the device, likewise (document_arrays.h): the bits of hidden documents, or static priors with
// their maxima.
struct ResidentArray {
  std::uint32_t number = 0;  // unique among those of a cache; not 0
  const std::uint32_t* words = nullptr;
  std::vector<scoring::Prior> highest;  // of priors: the kMaxHits highest, highest first
  const void* holder = nullptr;         // the DocumentArrays that made it
  std::shared_ptr<const void> memory;
};
// A list on the device, likewise.
struct ResidentList : lists::CachedList {
  lists::ListKey key;
  const DeviceCache* holder = nullptr;             // which made it
  std::uint32_t documents = 0;                     // of the list's partition
  DeviceList list;                                 // without an image: the list was refused
  std::shared_ptr<const ResidentLengths> lengths;  // of the list's partition
  scoring::PackedDeficit list_deficit{};           // PostingList::list_deficit()
  // PostingList::best_deficit(i) for each rank i. Kept here because computing it visits all segments.
  std::array<scoring::PackedDeficit, postings::kBestRanks.size()> best_deficits{};
  std::shared_ptr<const void> memory;

  // How many of its postings are of hidden documents, as last counted.
  std::optional<std::uint32_t> hidden_postings(const ResidentArray& hidden) const {
    const std::uint64_t known = counted_.load(std::memory_order_relaxed);
    if (known >> 32 != hidden.number) return std::nullopt;
    return static_cast<std::uint32_t>(known);
  }
  void keep_hidden_postings(const ResidentArray& hidden, std::uint32_t count) const {
    counted_.store(std::uint64_t{hidden.number} << 32 | count, std::memory_order_relaxed);
  }

 private:
  mutable std::atomic<std::uint64_t> counted_{0};  // number of the hidden documents << 32 | postings
};

// A plan with its lists and lengths on the device.
struct ReadyPlan {
  const engine::Plan* plan = nullptr;
  std::vector<std::shared_ptr<const ResidentList>> lists;  // in the order of plan->terms
  std::shared_ptr<const ResidentLengths> lengths;
  std::shared_ptr<const ResidentArray> priors;              // null: none are added
  std::shared_ptr<const ResidentArray> hidden;              // null: no document is hidden
  std::vector<std::shared_ptr<const ResidentArray>> codes;  // in the order of codes_of(*plan)
  std::optional<std::uint32_t> hidden_postings;  // of the longest list that are of hidden documents; empty: unknown
  // The plan's floor or higher: documents with lower scores are not wanted. Of a plan that is not ranked: a score of
  // document_order.h.
  scoring::Score floor = 0;
  // Of a plan that runs again: how wide the bins are (QueryOnDevice::bin_shift), the lowest of which begins with the
  // floor.
  std::optional<std::uint32_t> bin_shift;
  // Of a plan that runs again since thousands of documents have this score, the k-th best: the floor is one of
  // score_with_ties() then. 0: it does not.
  scoring::Score tied = 0;
  // Of a plan that is not ranked and runs again: what the device has counted, which it then does not count again; also
  // of ties: a docID below which there are fewer than k.
  std::optional<std::uint32_t> counted;
  DocId origin = 0;
};

// Whether its documents are the postings of one list.
inline bool is_of_one_list(const engine::Plan& plan) { return plan.terms.size() == 1 && !plan.phrase; }
// Of one list AND and OR are the same.
inline bool is_conjunction(const engine::Plan& plan) {
  return plan.mode == engine::Mode::kAnd && !is_of_one_list(plan);
}

// The list with the most postings, of equal ones the first.
const ResidentList& longest_of(const ReadyPlan& ready);
// Whether the device counts how many postings of the longest list are of hidden documents.
bool counts_hidden(const ReadyPlan& ready);

// Whether the kernels can search it: 1 <= k <= kMaxHits (unranked: 0 too), 1 to kMaxQueryTerms terms, every term has
// postings, a phrase has at most kMaxPhraseWords, at most kMaxMinimum terms are needed of
// some, factors are at most kMaxFactor, and of kMaxFields fields besides all text.
bool fits_kernels(const engine::Plan& plan);

// Whether the plan, which is ranked, can run again with `tied` set: summed, or searched if it is of clauses.
bool can_rank_ties(const ReadyPlan& ready);

// Which ORs are summed (batch.h), of those that can be.
enum class Sums : std::uint8_t { kWhereFaster, kAlways, kNever };

// Not thread-safe. Keeps its memory from one batch to the next.
class BatchBuilder {
 public:
  explicit BatchBuilder(Sums sums = Sums::kWhereFaster) : sums_(sums) {}
  // Makes the batch of plans. Sets the numbers of queries and tasks, the columns, and the pointers to plain data, which
  // will be copied from bytes() to `base`. The caller sets the rest.
  // REQUIRES: at least one plan; all fit the kernels; all are ranked, or none.
  BatchOnDevice build(std::span<const ReadyPlan* const> plans, const std::byte* base);
  // The plain data of the last batch; a multiple of 16 bytes.
  ByteView bytes() const { return bytes_; }

 private:
  std::span<TermOnDevice> add_query(const ReadyPlan& ready);
  void add_ranked(const ReadyPlan& ready);
  void add_unranked(const ReadyPlan& ready);
  std::span<TermOnDevice> add_terms(const ReadyPlan& ready);
  void add_row(std::uint32_t term);
  struct TaskCounts {
    std::uint32_t of_first_rows, all;
  };
  TaskCounts cut_rows(double work);

  const Sums sums_;
  std::vector<QueryOnDevice> queries_;
  std::vector<scoring::Score> thresholds_;  // of the queries, when their search begins, about
  std::vector<TermOnDevice> terms_;
  ClauseBuilder clauses_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> group_rows_;
  std::vector<std::uint32_t> counted_;  // BatchOnDevice::counted
  std::vector<std::uint32_t> summed_;   // BatchOnDevice::summed
  bool unranked_ = false, has_clauses_ = false;
  ListCodecs codecs_ = kNoCodecs;  // of all lists
  double work_ = 0;                // of all rows, in look-ups of 32 documents (tuning.h)
  ByteBuffer bytes_;
};

}  // namespace frond::leaf::gpu
