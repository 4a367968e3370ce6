// What hits are ordered by, and what was counted, as JSON.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "broker/http/answer_json.h"
#include "common/base/check.h"

namespace frond::broker::http {
namespace {

using frond::query::Facet;
using frond::query::FacetCounts;
using schema::FieldType;

void append_value(std::string& out, FieldType type, const schema::Value& value) {
  out += type == FieldType::kDate ? schema::json_string(schema::text_of(type, value)) : schema::json_scalar(value);
}

void append_key(std::string& out, FieldType type, std::uint64_t key) {
  append_value(out, type, schema::value_of_key(type, key));
}

// JSON has no infinity: a sum may be one.
void append_finite(std::string& out, double value) {
  if (std::isfinite(value))
    append_real(out, value);
  else
    out += "null";
}

// The most frequent first, equally frequent ones by their values.
void append_values(std::string& out, const Facet& facet, FieldType type, const FacetCounts& counts) {
  std::vector<std::size_t> order(counts.buckets());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto shown = order.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(facet.size, order.size()));
  std::partial_sort(order.begin(), shown, order.end(), [&](std::size_t a, std::size_t b) {
    return counts.counts[a] != counts.counts[b] ? counts.counts[a] > counts.counts[b] : a < b;
  });
  std::uint64_t other = 0;
  out += "\"buckets\":[";
  for (auto bucket = order.begin(); bucket != order.end(); ++bucket) {
    if (bucket >= shown) {
      other += counts.counts[*bucket];
      continue;
    }
    out += bucket == order.begin() ? "{\"value\":" : ",{\"value\":";
    if (type == FieldType::kKeyword)
      append_json_string(out, counts.words[*bucket]);
    else
      append_key(out, type, counts.keys[*bucket]);
    append_count(out, "count", counts.counts[*bucket]);
    out += '}';
  }
  out += ']';
  append_count(out, "other", other);
  append_count(out, "missing", counts.missing);
}

// All of them, also the empty ones.
void append_ranges(std::string& out, const Facet& facet, FieldType type, const FacetCounts& counts) {
  std::vector<std::uint64_t> all(facet.bounds.size() + 1);
  for (std::size_t i = 0; i < counts.keys.size(); ++i) all[counts.keys[i]] = counts.counts[i];
  out += "\"buckets\":[";
  for (std::size_t i = 0; i < all.size(); ++i) {
    out += i == 0 ? "{" : ",{";
    if (i > 0) {
      append_name(out, "from");
      append_value(out, type, facet.bounds[i - 1]);
    }
    if (i < facet.bounds.size()) {
      append_name(out, "to");
      append_value(out, type, facet.bounds[i]);
    }
    append_count(out, "count", all[i]);
    out += '}';
  }
  out += ']';
  append_count(out, "missing", counts.missing);
}

void append_intervals(std::string& out, FieldType type, const FacetCounts& counts) {
  out += "\"buckets\":[";
  for (std::size_t i = 0; i < counts.keys.size(); ++i) {
    out += i == 0 ? "{\"from\":" : ",{\"from\":";
    append_key(out, type, counts.keys[i]);
    append_count(out, "count", counts.counts[i]);
    out += '}';
  }
  out += ']';
  append_count(out, "missing", counts.missing);
}

void append_stats(std::string& out, FieldType type, const FacetCounts& counts) {
  append_count(out, "count", counts.values);
  if (counts.values == 0) {
    out += ",\"min\":null,\"max\":null,\"sum\":0,\"mean\":null";
    return;
  }
  append_name(out, "min");
  append_key(out, type, counts.least);
  append_name(out, "max");
  append_key(out, type, counts.greatest);
  const double sum = counts.sum.rounded(), mean = sum / static_cast<double>(counts.values);
  append_name(out, "sum");
  append_finite(out, sum);
  append_name(out, "mean");
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (type == FieldType::kDate && std::abs(mean) < kEnd)
    append_value(out, type, static_cast<std::int64_t>(std::llround(mean)));
  else
    append_finite(out, mean);
}

void append_facet(std::string& out, const Facet& facet, FieldType type, const FacetCounts& counts) {
  switch (facet.kind) {
    case Facet::Kind::kValues:
      return append_values(out, facet, type, counts);
    case Facet::Kind::kRanges:
      return append_ranges(out, facet, type, counts);
    case Facet::Kind::kHistogram:
    case Facet::Kind::kDates:
      return append_intervals(out, type, counts);
    case Facet::Kind::kStats:
      return append_stats(out, type, counts);
    case Facet::Kind::kDistinct:
      return append_count(out, "value", counts.buckets());
  }
}

}  // namespace

void append_sort(std::string& out, const std::string& sort_bytes, const merge::Arrangement& arrangement) {
  using By = frond::query::SortKey::By;
  const auto values = read_sort_bytes(sort_bytes, arrangement.order, *arrangement.schema);
  FROND_CHECK(values);  // merge::check() has read them
  append_name(out, "sort");
  for (std::size_t i = 0; i < values->size(); ++i) {
    out += i == 0 ? '[' : ',';
    const frond::query::SortKey& key = arrangement.order[i];
    if (key.by == By::kScore)
      append_score(out, (*values)[i].score);
    else if (key.by == By::kOrder)
      append_number(out, (*values)[i].ordinal);
    else if (const auto& value = (*values)[i].value)
      append_value(out, arrangement.schema->find(key.field)->type, *value);
    else
      out += "null";
  }
  out += ']';
}

void append_facets(std::string& out, const std::vector<FacetCounts>& counts, const merge::Arrangement& arrangement) {
  out += ",\"facets\":{";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Facet& facet = arrangement.facets[i];
    if (i > 0) out += ',';
    append_json_string(out, facet.name);
    out += ":{";
    append_facet(out, facet, arrangement.schema->find(facet.field)->type, counts[i]);
    out += '}';
  }
  out += '}';
}

}  // namespace frond::broker::http
