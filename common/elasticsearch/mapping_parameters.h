#pragma once
// What Frond makes of each parameter that fields of Elasticsearch may have, and of each of its types. Pure functions.
#include <string>
#include <string_view>

#include "common/elasticsearch/error.h"
#include "common/elasticsearch/mapping.h"

namespace frond::elasticsearch {

// One that is not read: with which values it changes nothing here, JSON between spaces, by type of the field. "*": with
// any; empty: it is refused, and so are other values than these.
struct MappingParameter {
  std::string_view name, of_text, of_keyword, of_others;
};
// docs/elasticsearch-api.md has the same table; a test compares them.
inline constexpr MappingParameter kMappingParameters[] = {
    {"boost", "1 1.0", "1 1.0", "1 1.0"},
    {"coerce", "", "", "true"},
    {"copy_to", "", "", ""},
    {"doc_values", "", "true", "true"},
    {"eager_global_ordinals", "*", "*", ""},
    {"enabled", "true", "true", "true"},
    {"fielddata", "false", "", ""},
    {"fielddata_frequency_filter", "*", "", ""},
    {"ignore_malformed", "", "", "false"},
    {"index", "true", "true", "true"},
    {"index_options", "\"positions\" \"offsets\"", "\"docs\"", ""},
    {"index_phrases", "*", "", ""},
    {"index_prefixes", "*", "", ""},
    {"locale", "", "", "*"},
    {"meta", "*", "*", "*"},
    {"normalizer", "", "null", ""},
    {"norms", "true", "false", ""},
    {"on_script_error", "", "", ""},
    {"position_increment_gap", "100", "", ""},
    {"scaling_factor", "", "", ""},
    {"script", "", "", ""},
    {"similarity", "\"default\"", "\"default\"", ""},
    {"split_queries_on_whitespace", "", "false", ""},
    {"store", "*", "*", "*"},
    {"subobjects", "", "", ""},
    {"term_vector", "*", "", ""},
    {"time_series_dimension", "", "false", "false"},
    {"time_series_metric", "", "", ""},
};

// 501: it is known, and would change answers; 400 with this reason: it is unknown.
Expected<void> check_parameter(const std::string& name, const Json& value, const MappedField& field);
// Of Elasticsearch, though Frond has it not.
bool is_other_type(std::string_view type);

}  // namespace frond::elasticsearch
