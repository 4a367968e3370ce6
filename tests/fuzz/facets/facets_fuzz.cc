// Any text as facets, in both forms, through binding to the buckets of values; and as a file of a time zone.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/check.h"
#include "common/query/facets/facet_buckets.h"
#include "tests/support/query_schema.h"

namespace {
void examine(const frond::Result<std::vector<frond::query::Facet>>& facets) {
  using namespace frond;
  static const schema::Schema fields = support::query_schema();
  if (!facets) {
    FROND_CHECK(!facets.error().message().empty());
    return;
  }
  std::size_t all = 0;
  query::for_each_facet(*facets, [&](const query::Facet&) { ++all; });
  FROND_CHECK(all <= query::kMaxFacets);
  const auto bound = query::bind_facets(*facets, fields, "facets");
  if (!bound) return;
  const std::string text = query::facets_json(*bound);
  const auto json = schema::parse_json(text);
  FROND_CHECK(json.has_value());
  const auto again = query::read_facets(*json, "facets");
  FROND_CHECK(again && query::facets_json(*again) == text);
  query::for_each_facet(*bound, [&](const query::Facet& facet) {
    const bool of_intervals = facet.kind == query::Facet::Kind::kHistogram || facet.kind == query::Facet::Kind::kDates;
    if (!of_intervals && facet.kind != query::Facet::Kind::kPercentiles) return;
    const auto type = fields.find(facet.field)->type;
    const bool real = type == schema::FieldType::kFloat;
    for (const double value : {-1e300, -1.5, 0.0, 1.0, 9e18}) {
      const auto key = real ? schema::ordering_key(type, value)
                            : schema::ordering_key(type, static_cast<std::int64_t>(value < -1e18 ? -9.2e18 : value));
      const auto bucket = query::bucket_key(facet, type, key);
      if (!of_intervals) {
        FROND_CHECK(query::value_in(type, bucket).index() == schema::value_of_key(type, key).index());
        continue;
      }
      FROND_CHECK(bucket <= key);
      if (const auto next = query::next_bucket(facet, type, bucket)) FROND_CHECK(*next > bucket);
      if (facet.kind == query::Facet::Kind::kDates) FROND_CHECK(query::date_steps(facet, bucket, key) > 0);
    }
  });
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  examine(query::parse_facets(text));
  if (const auto json = schema::parse_json(text)) examine(query::read_facets(*json, "facets"));
  if (const auto rules = query::read_zone(text)) FROND_CHECK(query::are_rules(*rules));
  return 0;
}
