#include "broker/elasticsearch/united_facets.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "broker/elasticsearch/json_body.h"
#include "broker/http/answer_json.h"
#include "broker/merge/facet_merge.h"

namespace frond::broker::elasticsearch {
namespace {

using query::Facet;
using query::FacetCounts;

std::size_t number_of(const std::vector<Facet>& facets) {
  std::size_t number = 0;
  query::for_each_facet(facets, [&](const Facet&) { ++number; });
  return number;
}

// Whether both count the same, but for what is inside them, the order by that, and the clauses, which each index reads
// for itself.
bool is_same(const Facet& a, const Facet& b) {
  const auto alone = [](Facet facet) {
    facet.inside.clear();
    facet.order = {};
    for (query::NamedClause& one : facet.queries) one.clause = {};
    return facet;
  };
  return alone(a) == alone(b);
}

// Whether the first one is of an index that lacks the field: it counts all documents, as those without a value.
bool is_lacking(const Facet& one, const Facet& other) {
  return one.kind == Facet::Kind::kFilter && other.kind == Facet::Kind::kMissing;
}

class Union {
 public:
  explicit Union(std::vector<IndexCounts> indices) : indices_(std::move(indices)) {}

  Expected<merge::CountedFacets> made() {
    for (const IndexCounts& one : indices_) add(one);
    all_.arrangement.schema = std::make_shared<const schema::Schema>(schema_);
    all_.arrangement.max_buckets = indices_.front().counted.arrangement.max_buckets;
    all_.counts.resize(all_.arrangement.facets.size());
    for (IndexCounts& one : indices_) FROND_EXPECT_OK(add_counts(one));
    return std::move(all_);
  }

 private:
  // Of each name the facet with most inside it, and the columns of all.
  void add(const IndexCounts& index) {
    auto& facets = all_.arrangement.facets;
    for (const Facet& facet : index.counted.arrangement.facets) {
      const auto known = std::ranges::find(facets, facet.name, &Facet::name);
      if (known == facets.end())
        facets.push_back(facet);
      else if (number_of(facet.inside) > number_of(known->inside) || is_lacking(*known, facet))
        *known = facet;
    }
    query::for_each_facet(index.counted.arrangement.facets, [&](const Facet& facet) {
      const schema::Field* const field = index.counted.arrangement.schema->find(facet.field);
      if (field != nullptr && schema_.find(facet.field) == nullptr) schema_.fields.push_back(*field);
    });
  }

  Expected<void> add_counts(IndexCounts& index) {
    const auto& own = index.counted.arrangement.facets;
    for (std::size_t i = 0; i < all_.counts.size(); ++i) {
      const Facet& facet = all_.arrangement.facets[i];
      const auto found = std::ranges::find(own, facet.name, &Facet::name);
      if (found == own.end()) {
        all_.counts[i].push_back(FROND_EXPECT_OK(without_field(facet, index.documents, index.index)));
        continue;
      }
      for (FacetCounts& counts : index.counted.counts[static_cast<std::size_t>(found - own.begin())])
        all_.counts[i].push_back(FROND_EXPECT_OK(fitted(std::move(counts), *found, facet, index)));
    }
    return {};
  }

  // With the counts inside its buckets as those of the other facet, which may have more there.
  Expected<FacetCounts> fitted(FacetCounts counts, const Facet& from, const Facet& to, const IndexCounts& index) {
    const schema::Field* const field = index.counted.arrangement.schema->find(from.field);
    if (is_lacking(from, to))
      counts.missing = counts.with_value;
    else if (!is_same(from, to) || (field != nullptr && field->type != schema_.find(from.field)->type))
      return not_supported("an aggregation of [" + to.field + "] over several indices, of which [" + index.index +
                           "] has the field with another type,");
    for (const Facet& one : from.inside)
      if (std::ranges::find(to.inside, one.name, &Facet::name) == to.inside.end())
        return not_supported("aggregations in each other over indices that each lack a field of them: [" + index.index +
                             "] alone has [" + one.field + "],");
    if (to.inside.empty()) return counts;
    const std::vector<FacetCounts> nested =
        std::exchange(counts.nested, std::vector<FacetCounts>(counts.buckets() * to.inside.size()));
    for (std::size_t bucket = 0; bucket < counts.buckets(); ++bucket)
      for (std::size_t i = 0; i < to.inside.size(); ++i) {
        const auto found = std::ranges::find(from.inside, to.inside[i].name, &Facet::name);
        const auto place = bucket * from.inside.size() + static_cast<std::size_t>(found - from.inside.begin());
        counts.nested[bucket * to.inside.size() + i] =
            found == from.inside.end()
                ? FROND_EXPECT_OK(without_field(to.inside[i], counts.counts[bucket], index.index))
                : FROND_EXPECT_OK(fitted(nested[place], *found, to.inside[i], index));
      }
    return counts;
  }

  // What so many documents count that have not the facet's field.
  static Expected<FacetCounts> without_field(const Facet& facet, std::uint64_t documents, const std::string& index) {
    FacetCounts counts;
    if (query::is_of_clauses(facet.kind))
      return not_supported("aggregations in one of a field that index [" + index + "] lacks,");
    counts.missing = documents;
    if (facet.kind != Facet::Kind::kMissing || documents == 0) return counts;
    counts.keys = {0};
    counts.counts = {documents};
    for (const Facet& one : facet.inside)
      counts.nested.push_back(FROND_EXPECT_OK(without_field(one, documents, index)));
    return counts;
  }

  std::vector<IndexCounts> indices_;
  schema::Schema schema_;
  merge::CountedFacets all_;
};

class Adding : public std::enable_shared_from_this<Adding> {
 public:
  Adding(cluster::TimerQueue& timers, std::vector<merge::CountedFacets> counted, UnitedFacets::Told told)
      : timers_(timers), counted_(std::move(counted)), told_(std::move(told)) {}

  void go_on() {
    if (!told_(Json())) return;
    if (counted_.empty()) {
      static_cast<void>(told_(std::move(facets_)));
      return;
    }
    merge::CountedFacets& counted = counted_.back();
    if (!merge_) merge_.emplace(counted.arrangement, std::move(counted.counts));
    if (auto error = take(merge_->step(merge::kBucketsOfAStep)))
      static_cast<void>(told_(*std::move(error)));
    else
      timers_.after(std::chrono::microseconds(1), [self = shared_from_this()] { self->go_on(); });
  }

 private:
  std::optional<ApiError> take(const Result<bool>& merged) {
    if (!merged) return not_supported("this search (" + merged.error().message() + ")");
    if (!*merged) return std::nullopt;
    std::string text;
    http::append_facets(text, merge_->take(), counted_.back().arrangement);
    auto read = parse_json("{" + text.substr(1) + "}");
    if (!read) return std::move(read).error();
    facets_.update((*read)["facets"]);
    merge_.reset();
    counted_.pop_back();
    return std::nullopt;
  }

  cluster::TimerQueue& timers_;
  std::vector<merge::CountedFacets> counted_;
  std::optional<merge::FacetMerge> merge_;  // of the last one
  Json facets_ = Json::object();
  const UnitedFacets::Told told_;
};

}  // namespace

Expected<void> UnitedFacets::keep(IndexCounts counts, bool everywhere) {
  for (const auto& facet : counts.counted.counts)
    for (const FacetCounts& one : facet) bytes_ += merge::counts_bytes(one);
  if (bytes_ > merge::kMaxFacetBytes)
    return not_supported("aggregations over several indices of more than " +
                         std::to_string(merge::kMaxFacetBytes >> 20) + " MiB of buckets");
  kept_[everywhere ? 1 : 0].push_back(std::move(counts));
  return {};
}

void UnitedFacets::add_up(cluster::TimerQueue& timers, std::vector<IndexCounts> all, bool uncertain, Told told) {
  auto& [of_query, of_everything] = kept_;
  for (IndexCounts& one : all) {
    if (of_query.empty() || std::ranges::find(of_query, one.index, &IndexCounts::index) != of_query.end()) continue;
    if (uncertain) {
      static_cast<void>(told(not_supported("aggregations with [post_filter] over indices without the fields")));
      return;
    }
    of_query.push_back(std::move(one));
  }
  std::vector<merge::CountedFacets> counted;
  for (auto& kept : kept_) {
    if (kept.empty()) continue;
    auto made = Union(std::exchange(kept, {})).made();
    if (!made) {
      static_cast<void>(told(std::move(made).error()));
      return;
    }
    counted.push_back(*std::move(made));
  }
  std::make_shared<Adding>(timers, std::move(counted), std::move(told))->go_on();
}

std::vector<Aggregation> most_mapped(std::vector<std::vector<Aggregation>> indices) {
  const auto counted = [](const Aggregation& one) {
    const auto facets = facets_of({one});
    return facets ? number_of(*facets) : 0;
  };
  std::vector<Aggregation> chosen = std::move(indices.front());
  for (std::size_t i = 1; i < indices.size(); ++i)
    for (std::size_t at = 0; at < chosen.size(); ++at)
      if (counted(indices[i][at]) > counted(chosen[at])) chosen[at] = std::move(indices[i][at]);
  return chosen;
}

}  // namespace frond::broker::elasticsearch
