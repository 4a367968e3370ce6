#pragma once
// Aggregations over the buckets of others, which have been counted. Pure functions.
#include "broker/elasticsearch/aggregations.h"

namespace frond::broker::elasticsearch {

bool is_pipeline(std::string_view kind);
// 400: its members are wrong; 501: some that this API lacks, by name.
Expected<void> check_pipeline(const Aggregation& of);
// Adds them to `shown`, where the others are by name, and in their buckets.
Expected<void> add_pipelines(const std::vector<Aggregation>& aggregations, Json& shown, bool typed_keys);

}  // namespace frond::broker::elasticsearch
