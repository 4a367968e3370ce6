#pragma once
// Turns a search request into plans: its terms are looked up in the generation once, then each partition gets a plan
// with the terms' lists in that partition, their weights and bounds. What is known of terms and lists comes from the
// table that all searches share (term_table.h).
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/wire/messages.h"
#include "leaf/engine/plan.h"
#include "leaf/serve/known_terms.h"
#include "leaf/serve/search_parts.h"

namespace frond::leaf::serve {

// Thread-safe but for look_up(). `generation` may be null; then only depth() may be called.
class SearchPlans {
 public:
  // All outlive this.
  SearchPlans(const SearchParts& parts, SearchMetrics& metrics, const wire::SearchRequest& request, Deadline deadline,
              const generation::ServedGeneration* generation)
      : parts_(parts), metrics_(metrics), request_(request), deadline_(deadline), generation_(generation) {}

  // Looks the terms up. Call it once, before the other functions. May read the disk, so not on the I/O thread.
  void look_up() { known_ = serve::look_up(*generation_, bm25(), request_.terms, parts_.terms); }
  // kCorrupt, kUnavailable: from reading the generation's term statistics.
  const Result<KnownTerms>& known() const { return known_; }
  // Estimates the postings of the known terms in the partition from its share of the documents.
  // Reads no list.
  std::uint64_t postings_in(const generation::ServedPartition& partition) const;

  // Empty: no document of the partition matches. Fetches `lists` if it is empty; they are kept
  // for the second wave. Null in `lists`: the partition does not have the term. Adds the time to `profile`. The engine
  // reads and raises `floor`.
  Result<std::optional<engine::Plan>> plan(const generation::ServedPartition& partition, engine::Mode mode,
                                           engine::SharedFloor& floor, std::vector<lists::ListLease>& lists,
                                           wire::PartitionProfile& profile) const;
  // A plan of device leases (engine/plan.h), without lists in host memory, if all lists are on the device. Otherwise,
  // or if no document matches, nothing: then call plan().
  std::optional<engine::Plan> plan_on_device(const generation::ServedPartition& partition, engine::Mode mode,
                                             engine::SharedFloor& floor) const;
  // How many hits a plan asks for.
  std::uint32_t depth(engine::Mode mode) const;

 private:
  Result<void> fetch_lists(const generation::ServedPartition& partition, engine::Mode mode,
                           std::vector<lists::ListLease>& lists, wire::PartitionProfile& profile) const;
  std::size_t place_of(const generation::ServedPartition& partition) const {
    return static_cast<std::size_t>(&partition - generation_->partitions.data());
  }
  engine::Plan without_terms(const generation::ServedPartition& partition, engine::Mode mode,
                             engine::SharedFloor& floor) const;
  const scoring::Bm25Parameters& bm25() const { return request_.bm25 ? *request_.bm25 : generation_->bm25; }
  scoring::BoundScale bounds(const KnownTerms::Term& term, const partition::Partition& partition) const;

  const SearchParts& parts_;
  SearchMetrics& metrics_;
  const wire::SearchRequest& request_;
  const Deadline deadline_;
  const generation::ServedGeneration* const generation_;
  Result<KnownTerms> known_ = KnownTerms();
};

}  // namespace frond::leaf::serve
