#pragma once
// Aliases as requests give them: read and checked, before they are kept with an index. Pure functions.
#include <string_view>

#include "broker/elasticsearch/error.h"
#include "broker/elasticsearch/indices/catalogue.h"
#include "common/elasticsearch/mapping.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxAliases = 256;  // of an index
inline constexpr std::size_t kMaxAliasBytes = 255;

// What is kept of an alias: {"filter","is_write_index","is_hidden","index_routing","search_routing"}, each of its type,
// of an object with these members and "routing". 400: it is none, or has others.
Expected<Json> alias_of(const Json& asked);

// Adds an alias, from alias_of(), to the index, which has this mapping. 400 invalid_alias_name_exception: the name is
// none, or an index's; 400 also: the filter can't be read, or there are kMaxAliases.
Expected<void> add_alias(Index& index, const Mapping& mapping, const Indices& all, std::string_view name, Json alias);

}  // namespace frond::broker::elasticsearch
