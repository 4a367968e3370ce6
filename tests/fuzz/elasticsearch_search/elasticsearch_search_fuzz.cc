// Any bytes as the body of a search of the Elasticsearch API: its query as a clause, its aggregations as facets, its
// fragments of a text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "broker/elasticsearch/hits/highlight.h"
#include "broker/elasticsearch/search/index_search.h"
#include "broker/elasticsearch/search/retriever.h"
#include "common/base/check.h"
#include "common/elasticsearch/json_body.h"
#include "common/query/bind.h"

using namespace frond;
using namespace frond::broker::elasticsearch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static SearchedIndex index{.name = "i",
                             .mapping = std::make_shared<const Mapping>(*read_mapping(
                                 nullptr, {{"properties",
                                            {{"t", {{"type", "text"}, {"fields", {{"k", {{"type", "keyword"}}}}}}},
                                             {"n", {{"type", "integer"}}},
                                             {"r", {{"type", "float"}}},
                                             {"d", {{"type", "date"}}},
                                             {"b", {{"type", "boolean"}}},
                                             {"o", {{"properties", {{"k", {{"type", "keyword"}}}}}}}}}}))};
  static text::Analyzer analyzer(index.mapping->analyzer, 0);
  static const schema::Schema schema = schema_of(*index.mapping);
  const auto body = parse_object({reinterpret_cast<const char*>(data), size});
  if (!body) return 0;
  if (body->contains("retriever"))
    if (const auto fused = read_retriever(*body, {}); !fused)
      FROND_CHECK(fused.error().status >= 400 && !fused.error().reason.empty());
  const auto ask = read_search(*body, {});
  if (!ask) {
    FROND_CHECK(ask.error().status >= 400 && !ask.error().reason.empty());
    return 0;
  }
  index.documents = size % 2 == 0 ? 100 : ~std::uint64_t{0};
  Statistics statistics;
  const auto read = parameters_of(*ask, index, analyzer, statistics, 1'700'000'000'000, false);
  if (!read) {
    FROND_CHECK(read.error().status >= 400 && !read.error().reason.empty());
    return 0;
  }
  // What is made fits the schema that the mapping made.
  if (read->hits.query) FROND_CHECK(frond::query::bind(*read->hits.query, schema, "query"));
  if (ask->search_after) (void)cursor_of(*ask, index, *read, {});
  if (!ask->highlight.is_null() && read->hits.query)
    if (const auto fields = read_highlight(ask->highlight, *index.mapping))
      (void)highlighted({{"t", "the red fox. A text"}}, *fields, terms_of(*read->hits.query, analyzer), analyzer);
  const auto shown = aggregations_json(read->aggregations, nullptr, ask->typed_keys);
  FROND_CHECK(shown || (shown.error().status >= 400 && !shown.error().reason.empty()));
  return 0;
}
