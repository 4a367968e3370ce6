// A search's order and its facets: read once, collected on each partition, then put together.
#include <utility>

#include "common/query/normal_form.h"
#include "common/schema/json.h"
#include "leaf/serve/search/search_query.h"

namespace frond::leaf::serve {

// kInvalid: they are none, or not for this schema.
Result<void> SearchQuery::read_wanted() {
  if (request_.sort.empty() && request_.facets.empty()) return {};
  if (!has_clause()) return Error(Code::kInvalid, "an order or facets, and no clause");
  wanted_.max_buckets = parts_.max_facet_buckets;
  wanted_.max_sort_bytes = parts_.max_sort_bytes;
  if (!request_.sort.empty()) {
    wanted_.sort = FROND_TRY(query::parse_sort(request_.sort));
    FROND_TRY(query::check_sort(wanted_.sort, schema()));
    wanted_.after = request_.after;
  }
  if (request_.facets.empty()) return {};
  const schema::Json json = FROND_TRY(schema::parse_json(request_.facets));
  auto facets = FROND_TRY(query::read_facets(json, "facets"));
  wanted_.facets = FROND_TRY(query::bind_facets(std::move(facets), schema(), "facets"));
  Result<void> resolved;
  query::for_each_facet(wanted_.facets, [&](const query::Facet& facet) {
    for (const query::NamedClause& one : facet.queries)
      if (const auto [at, is_new] = facet_clauses_.try_emplace(query::cache_key(one.clause)); is_new && resolved)
        resolved = resolve_filter(one.clause, at->second);
  });
  FROND_TRY(std::move(resolved));
  const MutexLock lock(collected_mutex_);
  facets_.resize(wanted_.facets.size());
  return {};
}

// The order and the facets of the wave, on one partition.
Result<engine::Outcome> SearchQuery::collect(Slot& slot, const clauses::ClausePlan& plan) {
  collect::Wanted wanted = wanted_;
  if (!counts_facets()) wanted.facets.clear();
  const std::size_t bits = facet_clauses_.size() * slot.partition->open->partition().documents();
  if (counts_facets() && bits / 8 > collect::kMaxCountingBytes)
    return collect::too_many_bytes("the clauses of the facets", bits / 8);
  for (const auto& [text, clauses] : facet_clauses_) {
    if (!counts_facets()) break;
    FilterCache::Documents left_out;
    if (parts_.filters != nullptr && generation_->serial != 0)
      left_out = parts_.filters->find({generation_->serial, slot.partition->number, text});
    if (left_out == nullptr) left_out = FROND_TRY(left_out_by(slot, text, clauses));
    wanted.clauses.emplace(text, std::move(left_out));
  }
  constexpr std::size_t kOwnBytes = std::size_t{64} << 20;
  collect::KeywordCache own(kOwnBytes);
  collect::KeywordCache& keywords = parts_.keywords != nullptr ? *parts_.keywords : own;
  auto found = FROND_TRY(collect::collect(plan, wanted, schema(), keywords, &sort_floor_, parts_.clock));
  slot.sort_bytes = std::move(found.sort_bytes);
  slot.facets = std::move(found.facets);
  return std::move(found.outcome);
}

// kInvalid: there are too many buckets, or too long ones for a reply.
Result<void> SearchQuery::add_facets(Slot& slot) {
  std::vector<query::FacetCounts> facets = std::exchange(slot.facets, {});
  const MutexLock lock(collected_mutex_);
  collect::FacetRoom room = wanted_.room();
  for (std::size_t i = 0; i < facets.size(); ++i) {
    const query::Facet& facet = wanted_.facets[i];
    query::add(facet, std::move(facets[i]), facets_[i]);
    FROND_TRY(room.take_all(facet, facets_[i]));
  }
  return {};
}

void SearchQuery::add_sorted(Slot& slot, engine::Outcome& outcome) {
  const MutexLock lock(collected_mutex_);
  sorted_.add({std::exchange(outcome.hits, {}), std::exchange(slot.sort_bytes, {})});
}

// If their values are too long for a reply, the request is refused.
collect::SortedHits SearchQuery::take_sorted() {
  const MutexLock lock(collected_mutex_);
  auto taken = sorted_.take();
  if (taken) return *std::move(taken);
  if (!refusal_) refusal_ = taken.error();
  for (Slot& slot : slots_)
    if (!slot.unsearched) slot.unsearched = wire::reason_of(Code::kInvalid);
  return {};
}

std::optional<Error> SearchQuery::refusal() const {
  const MutexLock lock(collected_mutex_);
  return refusal_;
}

}  // namespace frond::leaf::serve
