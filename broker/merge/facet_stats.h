#pragma once
// What is said of values that were counted. Pure functions.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "common/query/facets/exact_sum.h"
#include "common/query/facets/facet.h"
#include "common/query/facets/facet_counts.h"

namespace frond::broker::merge {

// Of the rounded sum of so many values, at least one, also where that is infinite.
double mean_of(const frond::query::ExactSum& sum, std::uint64_t values);

// A number by whose order buckets stand by the member (BucketOrder) of the facet, which all replies with the bucket
// have counted so; empty: there are no values.
std::optional<std::uint64_t> rank_of(const frond::query::Facet& facet, std::string_view member,
                                     std::span<const frond::query::FacetCounts* const> counted);

}  // namespace frond::broker::merge
