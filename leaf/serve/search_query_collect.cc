// A search's order and its facets: read once, collected on each partition, then put together.
#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "common/schema/json.h"
#include "leaf/collect/exhaustive.h"
#include "leaf/serve/search_query.h"

namespace frond::leaf::serve {

// kInvalid: they are none, or not for this schema.
Result<void> SearchQuery::read_wanted() {
  if (request_.sort.empty() && request_.facets.empty()) return {};
  if (!has_clause()) return Error(Code::kInvalid, "an order or facets, and no clause");
  wanted_.max_buckets = parts_.max_facet_buckets;
  if (!request_.sort.empty()) {
    wanted_.sort = FROND_TRY(query::parse_sort(request_.sort));
    FROND_TRY(query::check_sort(wanted_.sort, schema()));
    wanted_.after = request_.after;
  }
  if (request_.facets.empty()) return {};
  const schema::Json json = FROND_TRY(schema::parse_json(request_.facets));
  auto facets = FROND_TRY(query::read_facets(json, "facets"));
  wanted_.facets = FROND_TRY(query::bind_facets(std::move(facets), schema(), "facets"));
  const MutexLock lock(collected_mutex_);
  facets_.resize(wanted_.facets.size());
  return {};
}

// The order and the facets of the wave, on one partition.
Result<engine::Outcome> SearchQuery::collect(Slot& slot, const clauses::ClausePlan& plan) {
  collect::Wanted wanted = wanted_;
  if (!counts_facets()) wanted.facets.clear();
  collect::Collected found;
  if (request_.processor == wire::Processor::kExhaustive) {
    found = FROND_TRY(collect::collect_exhaustively(plan, wanted, schema(), parts_.clock));
  } else {
    constexpr std::size_t kOwnBytes = std::size_t{64} << 20;
    collect::KeywordCache own(kOwnBytes);
    collect::KeywordCache& keywords = parts_.keywords != nullptr ? *parts_.keywords : own;
    found = FROND_TRY(collect::collect(plan, wanted, schema(), keywords, &sort_floor_, parts_.clock));
  }
  slot.sort_bytes = std::move(found.sort_bytes);
  slot.facets = std::move(found.facets);
  return std::move(found.outcome);
}

// kInvalid: there are too many buckets, or too long ones for a reply.
Result<void> SearchQuery::add_facets(Slot& slot) {
  const std::vector<query::FacetCounts> facets = std::exchange(slot.facets, {});
  const MutexLock lock(collected_mutex_);
  std::size_t left = wanted_.max_buckets, word_bytes = 0;
  for (std::size_t i = 0; i < facets.size(); ++i) {
    FROND_TRY(query::add(wanted_.facets[i], facets[i], left, facets_[i]));
    left -= facets_[i].buckets();
    for (const std::string& word : facets_[i].words) word_bytes += word.size();
    if (word_bytes > wire::kMaxFacetWordBytes)
      return Error(Code::kInvalid, "facet " + schema::quote(wanted_.facets[i].name) +
                                       " and those before it have more than " +
                                       std::to_string(wire::kMaxFacetWordBytes >> 20) + " MiB of keywords");
  }
  return {};
}

void SearchQuery::merge_sorted(wire::Ranking& ranking) {
  struct Sorted {
    std::string* bytes;
    topk::Hit hit;
  };
  std::vector<Sorted> all;
  for (Slot& slot : slots_)
    for (std::size_t i = 0; !slot.unsearched && i < slot.disjunction.hits.size(); ++i)
      all.push_back({&slot.sort_bytes[i], slot.disjunction.hits[i]});
  std::ranges::sort(all, [](const Sorted& a, const Sorted& b) {
    return std::tie(*a.bytes, a.hit.ordinal) < std::tie(*b.bytes, b.hit.ordinal);
  });
  for (const Sorted& one : std::span(all).first(std::min<std::size_t>(all.size(), request_.depth))) {
    ranking.hits.push_back(one.hit);
    ranking.sort_bytes.push_back(std::move(*one.bytes));
  }
}

std::optional<Error> SearchQuery::refusal() const {
  const MutexLock lock(collected_mutex_);
  return refusal_;
}

}  // namespace frond::leaf::serve
