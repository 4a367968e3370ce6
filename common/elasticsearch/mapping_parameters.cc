#include "common/elasticsearch/mapping_parameters.h"

#include <algorithm>

#include "common/elasticsearch/json_body.h"

namespace frond::elasticsearch {
namespace {

constexpr std::string_view kOtherTypes =
    "aggregate_metric_double alias annotated_text binary constant_keyword date_nanos date_range "
    "dense_vector double_range flat_object flattened float_range geo_point geo_shape half_float histogram "
    "integer_range ip ip_range join knn_vector long_range match_only_text murmur3 nested passthrough percolator "
    "point rank_feature rank_features scaled_float search_as_you_type semantic_text shape sparse_vector token_count "
    "unsigned_long version wildcard";

bool is_one_of(std::string_view value, std::string_view values) {
  while (!values.empty()) {
    const std::string_view one = values.substr(0, values.find(' '));
    if (one == value) return true;
    values.remove_prefix(std::min(one.size() + 1, values.size()));
  }
  return false;
}

}  // namespace

Expected<void> check_parameter(const std::string& name, const Json& value, const MappedField& field) {
  const auto found = std::ranges::find(kMappingParameters, name, &MappingParameter::name);
  if (found == std::end(kMappingParameters)) {
    const std::string reason = "unknown parameter [" + name + "] on mapper [" + field.name + "] of type [" +
                               std::string(name_of(field.type)) + "]";
    return ApiError{.type = "mapper_parsing_exception",
                    .reason = "Failed to parse mapping [_doc]: " + reason,
                    .cause = {{"type", "mapper_parsing_exception"}, {"reason", reason}}};
  }
  const std::string_view harmless = field.type == Type::kText      ? found->of_text
                                    : field.type == Type::kKeyword ? found->of_keyword
                                                                   : found->of_others;
  if (harmless == "*" || is_one_of(dumped(value), harmless)) return {};
  return not_supported("[" + name + "] " + dumped(value).substr(0, 100) + " of field [" + field.name + "]");
}

bool is_other_type(std::string_view type) { return is_one_of(type, kOtherTypes); }

}  // namespace frond::elasticsearch
