// Any text as facets, in both forms, through binding to the buckets of values.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/check.h"
#include "common/query/facet_counts.h"
#include "tests/support/query_schema.h"

namespace {
void examine(const frond::Result<std::vector<frond::query::Facet>>& facets) {
  using namespace frond;
  static const schema::Schema fields = support::query_schema();
  if (!facets) {
    FROND_CHECK(!facets.error().message().empty());
    return;
  }
  FROND_CHECK(facets->size() <= query::kMaxFacets);
  const auto bound = query::bind_facets(*facets, fields, "facets");
  if (!bound) return;
  const std::string text = query::facets_json(*bound);
  const auto json = schema::parse_json(text);
  FROND_CHECK(json.has_value());
  const auto again = query::read_facets(*json, "facets");
  FROND_CHECK(again && query::facets_json(*again) == text);
  for (const query::Facet& facet : *bound) {
    if (facet.kind != query::Facet::Kind::kHistogram && facet.kind != query::Facet::Kind::kDates) continue;
    const auto type = fields.find(facet.field)->type;
    const bool real = type == schema::FieldType::kFloat;
    for (const double value : {-1e300, -1.5, 0.0, 1.0, 9e18}) {
      const auto key = real ? schema::ordering_key(type, value)
                            : schema::ordering_key(type, static_cast<std::int64_t>(value < -1e18 ? -9.2e18 : value));
      FROND_CHECK(query::bucket_key(facet, type, key) <= key);
    }
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  examine(query::parse_facets(text));
  if (const auto json = schema::parse_json(text)) examine(query::read_facets(*json, "facets"));
  return 0;
}
