#pragma once
// Turns a search request into plans: its terms are looked up in the generation once, then each partition gets a plan
// with the terms' lists in that partition, their weights and bounds.
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
  void look_up() { known_ = serve::look_up(*generation_, request_.terms); }
  // kCorrupt, kUnavailable: from reading the generation's term statistics.
  const Result<KnownTerms>& known() const { return known_; }
  // Estimates the postings of the known terms in the partition from its share of the documents.
  // Reads no list.
  std::uint64_t postings_in(const generation::ServedPartition& partition) const;

  // Empty: no document of the partition matches. Fetches `lists` if it is empty; they are kept
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
  Result<KnownTerms> known_ = KnownTerms();
};

}  // namespace frond::leaf::serve
