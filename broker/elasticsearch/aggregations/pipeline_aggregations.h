#pragma once
// Aggregations over the buckets of others, which have been counted. Pure functions.
#include "broker/elasticsearch/aggregations/aggregations.h"

namespace frond::broker::elasticsearch {

bool is_pipeline(std::string_view kind);
// 400: its members are wrong, or it is in no other one (`outermost`) and has to be; 501: some that this API lacks, by
// name.
Expected<void> check_pipeline(const Aggregation& of, bool outermost);
// Whether those in it can be there. 400; 501.
Expected<void> check_parent(const Aggregation& parent);
// Whether all that those of one place read is there. 400.
Expected<void> check_paths(const std::vector<Aggregation>& aggregations);
// Whether a path leads to a number: "a>b.max", "_count".
bool leads_to_number(const std::vector<Aggregation>& aggregations, std::string_view path);
// Adds them to `shown`, where the others are by name, and in their buckets.
Expected<void> add_pipelines(const std::vector<Aggregation>& aggregations, Json& shown, bool typed_keys);

}  // namespace frond::broker::elasticsearch
