#pragma once
// Which bucket of a facet a number or a date is in. Pure functions.
#include <cstdint>
#include <optional>

#include "common/query/facets/facet.h"
#include "common/schema/value.h"

namespace frond::query {

// Of kHistogram and kDates: the ordering key of the first value of the bucket that a value is in. Of kPercentiles: the
// same, whatever the column's type, of a float; a bucket's values differ by less than a 128th. Ascends with the values.
// `key`: an ordering key of the column's type.
// REQUIRES: `type` is integer, float or date.
std::uint64_t bucket_key(const Facet& facet, schema::FieldType type, std::uint64_t key);

// Of kHistogram and kDates: the bucket behind that one, whether there are values in it or not; empty: there is none
// before the greatest value.
std::optional<std::uint64_t> next_bucket(const Facet& facet, schema::FieldType type, std::uint64_t bucket);

// Of kPercentiles: what stands for the values in a bucket, as a value of the column's type, which is integer or float.
// It is 0 for floats that are nearer to it than any with all of their digits.
schema::Value value_in(schema::FieldType type, std::uint64_t bucket);

// Of kDates: milliseconds whose multiples all buckets begin at that have values from `least` to `greatest`, which are
// keys: so that values need not be told apart that lie between two multiples. At least 1.
std::uint64_t date_steps(const Facet& facet, std::uint64_t least, std::uint64_t greatest);

}  // namespace frond::query
