#pragma once
// Turns a search request into plans: its terms are looked up in the generation once, then each partition gets a plan
// with the terms' lists in that partition, their weights and bounds.
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/mutex.h"
#include "common/wire/messages.h"
#include "leaf/engine/plan.h"
#include "leaf/serve/known_terms.h"
#include "leaf/serve/search_parts.h"

namespace frond::leaf::serve {

// Thread-safe. `generation` may be null; then only depth() may be called.
class SearchPlans {
 public:
  // All outlive this.
  SearchPlans(const SearchParts& parts, SearchMetrics& metrics, const wire::SearchRequest& request, Deadline deadline,
              const generation::ServedGeneration* generation)
      : parts_(parts), metrics_(metrics), request_(request), deadline_(deadline), generation_(generation) {}

  // Looks the terms up on the first call. May read the disk, so not on the I/O thread. If it throws (out of memory),
  // the next call tries again.
  void look_up_once();
  // After look_up_once(). kCorrupt, kUnavailable: from reading the generation's term statistics.
  const Result<KnownTerms>& known() const { return known_; }
  // After look_up_once(). Estimates the postings of the known terms in the partition from its share of the documents.
  // Reads no list.
  std::uint64_t postings_in(const generation::ServedPartition& partition) const;

  // After look_up_once(). Empty: no document of the partition matches. Fetches `lists` if it is empty; they are kept
  // for the second wave. Adds the time to `profile`. The engine reads and raises `floor`.
  Result<std::optional<engine::Plan>> plan(const generation::ServedPartition& partition, engine::Mode mode,
                                           engine::SharedFloor& floor, std::vector<lists::ListLease>& lists,
                                           wire::PartitionProfile& profile) const;
  // How many hits a plan asks for.
  std::uint32_t depth(engine::Mode mode) const;

 private:
  Result<void> fetch_lists(const generation::ServedPartition& partition, std::vector<lists::ListLease>& lists,
                           wire::PartitionProfile& profile) const;

  const SearchParts& parts_;
  SearchMetrics& metrics_;
  const wire::SearchRequest& request_;
  const Deadline deadline_;
  const generation::ServedGeneration* const generation_;

  Mutex look_up_;
  bool looked_up_ FROND_GUARDED_BY(look_up_) = false;
  Result<KnownTerms> known_ = KnownTerms();  // written under look_up_, read after look_up_once()
};

}  // namespace frond::leaf::serve
