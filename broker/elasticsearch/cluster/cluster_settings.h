#pragma once
// Settings of the cluster: those that have a meaning here, kept with the templates for all indices. Others are refused
// by name. Pure functions.
#include <string_view>

#include "broker/elasticsearch/indices/index_settings.h"

namespace frond::broker::elasticsearch {

inline constexpr const char* kSettingKinds[] = {"persistent", "transient"};  // both are kept; the latter comes first

// Of one kind that a request gives; null removes. 400: a value that is none.
Expected<FlatSettings> read_cluster_settings(std::string_view kind, const Json& settings);
// `kept`: SharedMetadata::json. `*` in the name of a setting that is removed stands for any characters.
void set_cluster_settings(Json& kept, const char* kind, const FlatSettings& settings);
FlatSettings cluster_settings(const Json& kept, const char* kind);
// Those of which nothing is kept.
FlatSettings usual_cluster_settings(const Json& kept);

// Whether a document makes an index of this name (action.auto_create_index, and the template that it would have). 404.
Expected<void> expect_auto_create(const Json& kept, std::string_view index);

}  // namespace frond::broker::elasticsearch
