#include "broker/elasticsearch/search/statistics_search.h"

#include <utility>

#include "broker/elasticsearch/search/index_search.h"
#include "broker/elasticsearch/suggest/suggest.h"

namespace frond::broker::elasticsearch {
namespace {

// Of an answer with the facet "values".
std::uint64_t values_in(const http::Answer& found) {
  const Json facets = json_in(found, found.pieces.facets);
  const Json* const values = at_path(facets, "values.values");
  return values != nullptr && values->is_number_unsigned() ? values->get<std::uint64_t>() : 0;
}

// Of an answer with that facet, of all values.
Expected<std::vector<std::string>> words_in(const http::Answer& found) {
  const Json facets = json_in(found, found.pieces.facets);
  const Json* const values = at_path(facets, "values");
  std::vector<std::string> words;
  if (values == nullptr) return words;
  if (values->value("other", 0) != 0)
    return not_supported("a pattern of a field of more than " + std::to_string(query::kMaxFacetSize) + " values");
  for (const Json& bucket : (*values)["buckets"]) words.push_back(bucket["value"].get<std::string>());
  return words;
}

bool is_of_values(const Statistics::Key& key) { return key.first.ends_with(Statistics::kOfValues); }
bool is_of_words(const Statistics::Key& key) { return key.first.ends_with(Statistics::kOfWords); }

}  // namespace

http::SearchParameters search_for(const Statistics::Key& key) {
  http::SearchParameters count;
  count.k = 0;
  count.count = true;
  count.rank = wire::Rank::kNone;
  count.mode = wire::Mode::kOr;
  count.query = key.first.empty() ? query::Clause{query::All()}
                : key.second      ? query::Clause{query::Terms{key.first, {*key.second}}}
                                  : query::Clause{query::Exists{key.first}};
  if (!is_of_values(key) && !is_of_words(key)) return count;
  query::Facet facet;
  facet.name = "values";
  facet.field = key.first.substr(0, key.first.size() - 1);
  facet.kind = is_of_words(key) ? query::Facet::Kind::kValues : query::Facet::Kind::kCount;
  if (is_of_words(key)) {
    facet.size = query::kMaxFacetSize;
    facet.order = {.by = query::BucketOrder::By::kValue, .descending = false};
  }
  count.count = false;
  count.k = 1;
  count.fields = 0;
  count.query = query::Clause{query::All()};
  count.facets.push_back(std::move(facet));
  return count;
}

Expected<std::optional<std::uint64_t>> take_answer(const http::Answer& found, const Statistics::Key& key,
                                                   Statistics& statistics) {
  if (is_of_words(key)) {
    statistics.set_words(key, FROND_EXPECT_OK(words_in(found)));
    return std::optional<std::uint64_t>();
  }
  const std::uint64_t documents = is_of_values(key) ? values_in(found) : found.pieces.total.value;
  statistics.set(key, documents);
  return found.whole() ? std::optional(documents) : std::nullopt;
}

http::SearchParameters search_for(const std::vector<query::NearWord>& words) {
  http::SearchParameters search;
  search.k = 1;
  search.fields = 0;
  search.mode = wire::Mode::kOr;
  search.query = query::Clause{query::None()};
  search.near = words;
  return search;
}

Expected<void> take_answer(const http::Answer& found, const std::vector<query::NearWord>& words,
                           Statistics& statistics) {
  auto near = FROND_EXPECT_OK(near_in(json_in(found, found.pieces.near), words.size()));
  for (std::size_t i = 0; i < words.size(); ++i) statistics.set_near(words[i], std::move(near[i]));
  return {};
}

}  // namespace frond::broker::elasticsearch
