#pragma once
// Hits as Elasticsearch shows them: sources with some of their members, values of fields. Pure functions.
#include <optional>
#include <string>
#include <string_view>

#include "broker/elasticsearch/search/index_search.h"

namespace frond::broker::elasticsearch {

// 400: a field that has no values to show; 501: a format that Frond lacks. So that it is said before a search.
Expected<void> check_shown(const SearchAsk& ask, const Mapping& mapping);

// REQUIRES: check_shown() has taken the ask for the index.
void append_hit(std::string& out, const Hit& hit, const SearchAsk& ask, const SearchedIndex& index);

// A number in a format of decimals ("#,##0.0#"). Empty: it is another format.
std::optional<std::string> print_number(double value, std::string_view format);

// A source with the members that the filter shows.
std::string filtered_source(std::string_view source, const ShownSource& filter);

// The values at a path, also of lists of objects, in their order.
std::vector<Json> values_at(const Json& source, std::string_view path);

}  // namespace frond::broker::elasticsearch
