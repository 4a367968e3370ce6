// A search that the thread that has read it evaluates itself (at_once.h).
#include <algorithm>
#include <utility>

#include "common/wire/messages.h"
#include "leaf/serve/search/search_query.h"

namespace frond::leaf::serve {

// Whether it is of plain words, and shows nothing but heads of a few documents, which are mapped.
bool SearchQuery::needs_only_memory() const {
  constexpr std::uint32_t kDocuments = 32;  // that are read in one piece (document_query.h)
  const wire::Show& show = request_.show;
  const bool heads = show.columns.empty() && !show.explain && (show.fields & wire::kFieldSnippet) == 0;
  return generation_ != nullptr && parts_.terms != nullptr && parts_.queries == nullptr && !wire::is_costly(request_) &&
         (show.count == 0 || (show.count <= kDocuments && heads)) && request_.rank == wire::Rank::kScore &&
         !request_.exact_total && request_.clause.empty() && request_.filter.empty() && request_.facets.empty() &&
         request_.sort.empty() && !request_.after && request_.near.empty() && !scoring::are_impacts(generation_->bm25);
}

bool SearchQuery::is_little() {
  if (!needs_only_memory()) return false;
  if (!find_terms()) return false;
  set_up();
  looked_up_ = true;
  if (todo_.empty()) return true;
  if (parts_.costly != nullptr && (lists() > wire::kCostlyTerms || work_in_largest() >= parts_.costly_postings))
    return false;
  const auto predict = [&](engine::Mode mode) {
    mode_ = mode;
    return parts_.at_once->costs().predict(features()).cpu;
  };
  double all_us = 0;
  if (request_.mode == wire::Mode::kAuto) all_us += predict(engine::Mode::kOr).us;
  predicted_ = predict(request_.mode == wire::Mode::kOr ? engine::Mode::kOr : engine::Mode::kAnd);
  all_us += predicted_->us;
  return parts_.at_once->is_little(all_us) &&
         std::all_of(slots_.begin(), slots_.end(), [&](Slot& slot) { return find_lists(slot); });
}

bool SearchQuery::find_terms() {
  auto known = find(*generation_, bm25(), request_.terms, *parts_.terms);
  if (!known) return false;
  known_ = *std::move(known);
  return true;
}

// The lists of the known terms in the partition, if all are in host memory.
bool SearchQuery::find_lists(Slot& slot) {
  const std::size_t place = place_of(*slot.partition);
  std::vector<lists::ListLease> found;
  found.reserve(known_->terms.size());
  for (const KnownTerms::Term& term : known_->terms) {
    auto lease = term.term->on_host(place);
    if (!lease) return false;
    found.push_back(*std::move(lease));
  }
  parts_.lists.used_again(found.size());
  metrics_.lists.observe(0);
  slot.lists = std::move(found);
  return true;
}

// A partition that the search left at its bound has no outcome yet.
void SearchQuery::take_unless_bound_ended(Slot& slot, Result<engine::Outcome> outcome) {
  const bool ended = is_bound() && !outcome && outcome.error().code() == Code::kDeadline;
  if (!ended || deadline_.passed(parts_.clock)) return take(slot, std::move(outcome));
  unfinished_at_bound_.push_back(&slot);
}

// A worker searches the partitions that were left. False: it cannot, and they are unsearched.
bool SearchQuery::go_on_unbound() {
  todo_ = std::exchange(unfinished_at_bound_, {});
  bound_ = Instant::max();
  schedule::Task task{deadline_,
                      [self = shared_from_this()](const Waited& waited) {
                        self->has_waited(waited);
                        self->search_here();
                      },
                      0};
  const Result<void> taken = parts_.scheduler.submit_one(std::move(task), schedule::Lane::kContinue);
  if (!taken) fail_todo(wire::reason_of(taken.error().code()));
  return taken.has_value();
}

}  // namespace frond::leaf::serve
