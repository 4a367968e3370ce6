#include "broker/elasticsearch/aggregations/united_facets.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "broker/http/answers/answer_json.h"
#include "broker/merge/facet_merge.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

using query::Facet;
using query::FacetCounts;

std::size_t number_of(const std::vector<Facet>& facets) {
  std::size_t number = 0;
  query::for_each_facet(facets, [&](const Facet&) { ++number; });
  return number;
}

ApiError too_much() {
  return not_supported("aggregations over several indices of more than " + std::to_string(merge::kMaxFacetBytes >> 20) +
                       " MiB of buckets");
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

// How counts of a facet become those of another, which may have more in its buckets.
struct Fit {
  const Facet* to = nullptr;
  bool is_there = true;  // false: the index lacks the field, and has no such facet
  bool is_same = false;  // as they are
  bool is_lacking = false;
  std::size_t from = 0;          // its place in the facet that it is in
  std::size_t from_inside = 0;   // facets in it
  std::vector<Fit> inside = {};  // of each facet inside `to`
};

// The counts of all indices as those of one.
class Union {
 public:
  explicit Union(std::vector<IndexCounts> indices) : indices_(std::move(indices)) {}

  Expected<void> begin() {
    std::ranges::sort(indices_, {}, &IndexCounts::index);
    auto& arrangement = all_.arrangement;
    for (const IndexCounts& one : indices_) {
      if (one.counted.arrangement.facets.empty()) continue;
      add(one.counted.arrangement.facets, arrangement.facets);
      arrangement.max_buckets = one.counted.arrangement.max_buckets;
      query::for_each_facet(one.counted.arrangement.facets, [&](const Facet& facet) {
        const schema::Field* const field = one.counted.arrangement.schema->find(facet.field);
        if (field != nullptr && schema_.find(facet.field) == nullptr) schema_.fields.push_back(*field);
      });
    }
    arrangement.schema = std::make_shared<const schema::Schema>(schema_);
    all_.counts.resize(arrangement.facets.size());
    return check_whole();
  }

  // Fits what one index has counted for one facet. True: that was all.
  Expected<bool> step() {
    if (index_ == indices_.size()) return true;
    IndexCounts& index = indices_[index_];
    const Facet& facet = all_.arrangement.facets[facet_];
    auto& own = index.counted.arrangement.facets;
    const auto found = std::ranges::find(own, facet.name, &Facet::name);
    auto& to = all_.counts[facet_];
    if (found == own.end()) {
      to.push_back(FROND_EXPECT_OK(without_field(facet, index.documents, index.index)));
    } else {
      const Fit fit = FROND_EXPECT_OK(fit_of(*found, facet, index));
      for (FacetCounts& counts : index.counted.counts[static_cast<std::size_t>(found - own.begin())])
        to.push_back(FROND_EXPECT_OK(fitted(std::move(counts), fit, index.index)));
    }
    if (++facet_ == all_.counts.size()) {
      facet_ = 0;
      ++index_;
    }
    return index_ == indices_.size();
  }

  merge::CountedFacets take() { return std::move(all_); }

 private:
  // Facets by name, with all that is inside them in any index.
  static void add(const std::vector<Facet>& from, std::vector<Facet>& to) {
    for (const Facet& facet : from) {
      const auto known = std::ranges::find(to, facet.name, &Facet::name);
      if (known == to.end()) {
        to.push_back(facet);
        continue;
      }
      // What is ordered by something inside needs an index that has it.
      const bool is_better = is_lacking(*known, facet) || facet.order.by == query::BucketOrder::By::kFacet;
      std::vector<Facet> inside = std::move(known->inside);
      if (is_better) *known = facet;
      add(facet.inside, inside);
      known->inside = std::move(inside);
    }
  }

  // What is shown is read for one index, which then must have all fields of an aggregation.
  Expected<void> check_whole() const {
    for (const Facet& facet : all_.arrangement.facets) {
      const bool has_one = std::ranges::any_of(indices_, [&](const IndexCounts& one) {
        const auto& own = one.counted.arrangement.facets;
        const auto found = std::ranges::find(own, facet.name, &Facet::name);
        return found != own.end() && number_of(found->inside) == number_of(facet.inside);
      });
      if (!has_one)
        return not_supported("aggregations in each other of fields that no index has all of, in [" + facet.name + "],");
    }
    return {};
  }

  Expected<Fit> fit_of(const Facet& from, const Facet& to, const IndexCounts& index) const {
    const schema::Field* const field = index.counted.arrangement.schema->find(from.field);
    Fit fit{.to = &to, .is_lacking = is_lacking(from, to), .from_inside = from.inside.size()};
    if (!fit.is_lacking && (!is_same(from, to) || (field != nullptr && field->type != schema_.find(from.field)->type)))
      return not_supported("an aggregation of [" + to.field + "] over several indices, of which [" + index.index +
                           "] has the field with another type,");
    fit.is_same = !fit.is_lacking && from.inside.size() == to.inside.size();
    for (std::size_t i = 0; i < to.inside.size(); ++i) {
      const auto found = std::ranges::find(from.inside, to.inside[i].name, &Facet::name);
      Fit one{.to = &to.inside[i], .is_there = false};
      if (found != from.inside.end()) one = FROND_EXPECT_OK(fit_of(*found, to.inside[i], index));
      one.from = static_cast<std::size_t>(found - from.inside.begin());
      fit.is_same = fit.is_same && one.from == i && one.is_same;
      fit.inside.push_back(std::move(one));
    }
    return fit;
  }

  Expected<FacetCounts> fitted(FacetCounts counts, const Fit& fit, const std::string& index) {
    if (fit.is_same) return counts;
    if (fit.is_lacking) counts.missing = counts.with_value;
    if (fit.inside.empty()) return counts;
    FROND_EXPECT_OK(make_room(counts.buckets() * fit.inside.size()));
    std::vector<FacetCounts> nested =
        std::exchange(counts.nested, std::vector<FacetCounts>(counts.buckets() * fit.inside.size()));
    for (std::size_t bucket = 0; bucket < counts.buckets(); ++bucket)
      for (std::size_t i = 0; i < fit.inside.size(); ++i) {
        const Fit& one = fit.inside[i];
        FacetCounts& to = counts.nested[bucket * fit.inside.size() + i];
        if (one.is_there)
          to = FROND_EXPECT_OK(fitted(std::move(nested[bucket * fit.from_inside + one.from]), one, index));
        else
          to = FROND_EXPECT_OK(without_field(*one.to, counts.counts[bucket], index));
      }
    return counts;
  }

  // What so many documents count that have not the facet's field.
  Expected<FacetCounts> without_field(const Facet& facet, std::uint64_t documents, const std::string& index) {
    FacetCounts counts;
    if (facet.kind == Facet::Kind::kFilter)
      return not_supported("aggregations in one of a field that index [" + index + "] lacks,");
    if (facet.kind == Facet::Kind::kFilters) {  // ranges of the field: a client's own filters are in each index
      counts.with_value = documents;
      return counts;
    }
    counts.missing = documents;
    if (facet.kind != Facet::Kind::kMissing || documents == 0) return counts;
    counts.keys = {0};
    counts.counts = {documents};
    FROND_EXPECT_OK(make_room(facet.inside.size()));
    for (const Facet& one : facet.inside) {
      if (query::is_of_clauses(one.kind))
        return not_supported("aggregations in one of a field that index [" + index + "] lacks,");
      counts.nested.push_back(FROND_EXPECT_OK(without_field(one, documents, index)));
    }
    return counts;
  }

  // For counts that no leaf has sent.
  Expected<void> make_room(std::size_t counts) {
    made_ += counts;
    return made_ <= merge::kMaxFacetBytes / sizeof(FacetCounts) ? Expected<void>() : too_much();
  }

  std::vector<IndexCounts> indices_;
  schema::Schema schema_;
  merge::CountedFacets all_;
  std::size_t index_ = 0, facet_ = 0;  // to be fitted next
  std::size_t made_ = 0;
};

class Adding : public std::enable_shared_from_this<Adding> {
 public:
  Adding(cluster::TimerQueue& timers, std::vector<Union> unions, UnitedFacets::Told told)
      : timers_(timers), unions_(std::move(unions)), told_(std::move(told)) {}

  void go_on() {
    if (!told_(Json())) return;
    if (unions_.empty()) {
      static_cast<void>(told_(std::move(facets_)));
      return;
    }
    if (auto done = guarded_step(); !done)
      static_cast<void>(told_(std::move(done).error()));
    else
      timers_.after(std::chrono::microseconds(1), [self = shared_from_this()] { self->go_on(); });
  }

 private:
  // A timer calls this, behind which nothing catches.
  Expected<void> guarded_step() {
    try {
      return step();
    } catch (const std::exception& thrown) {
      return ApiError{.status = 500, .type = "exception", .reason = thrown.what()};
    }
  }
  // Of the last one.
  Expected<void> step() {
    if (!merge_) {
      if (!FROND_EXPECT_OK(unions_.back().step())) return {};
      counted_ = unions_.back().take();
      merge_.emplace(counted_.arrangement, std::move(counted_.counts));
      return {};
    }
    const auto merged = merge_->step(merge::kBucketsOfAStep);
    if (!merged) return not_supported("this search (" + merged.error().message() + ")");
    if (!*merged) return {};
    std::string text;
    http::append_facets(text, merge_->take(), counted_.arrangement);
    facets_.update(FROND_EXPECT_OK(parse_json("{" + text.substr(1) + "}"))["facets"]);
    merge_.reset();
    unions_.pop_back();
    return {};
  }

  cluster::TimerQueue& timers_;
  std::vector<Union> unions_;
  merge::CountedFacets counted_;            // of the last one, without the counts
  std::optional<merge::FacetMerge> merge_;  // … these
  Json facets_ = Json::object();
  const UnitedFacets::Told told_;
};

}  // namespace

Expected<void> UnitedFacets::keep(IndexCounts counts, bool everywhere) {
  for (const auto& facet : counts.counted.counts)
    for (const FacetCounts& one : facet) bytes_ += merge::counts_bytes(one);
  if (bytes_ > merge::kMaxFacetBytes) return too_much();
  kept_[everywhere ? 1 : 0].push_back(std::move(counts));
  return {};
}

void UnitedFacets::add_up(cluster::TimerQueue& timers, std::vector<IndexCounts> all, bool filtered, Told told) {
  auto& [of_query, of_everything] = kept_;
  for (IndexCounts& one : all) {
    if (of_query.empty() || std::ranges::find(of_query, one.index, &IndexCounts::index) != of_query.end()) continue;
    if (filtered) {
      static_cast<void>(told(not_supported("aggregations with [post_filter] over indices without the fields")));
      return;
    }
    of_query.push_back(std::move(one));
  }
  std::vector<Union> unions;
  for (auto& kept : kept_) {
    if (kept.empty()) continue;
    if (auto begun = unions.emplace_back(std::exchange(kept, {})).begin(); !begun) {
      static_cast<void>(told(std::move(begun).error()));
      return;
    }
  }
  std::make_shared<Adding>(timers, std::move(unions), std::move(told))->go_on();
}

std::vector<Aggregation> most_mapped(std::vector<std::vector<Aggregation>> indices) {
  const auto mapped = [](const auto& self, const Aggregation& one) -> std::size_t {
    std::size_t fields = one.field != nullptr ? 1 : 0;
    for (const Aggregation& inside : one.inside) fields += self(self, inside);
    return fields;
  };
  const auto measure = [&](const Aggregation& one) {
    const auto facets = facets_of({one});
    return std::pair(facets ? number_of(*facets) : 0, mapped(mapped, one));
  };
  std::vector<Aggregation> chosen = std::move(indices.front());
  for (std::size_t i = 1; i < indices.size(); ++i)
    for (std::size_t at = 0; at < chosen.size(); ++at)
      if (measure(indices[i][at]) > measure(chosen[at])) chosen[at] = std::move(indices[i][at]);
  return chosen;
}

}  // namespace frond::broker::elasticsearch
