#pragma once
// Parts of documents: what _update changes. Pure functions.
#include <optional>
#include <string>
#include <string_view>

#include "broker/elasticsearch/error.h"

namespace frond::broker::elasticsearch {

// The document after an update, {"doc":…}, {"doc":…,"doc_as_upsert":true} or {"doc":…,"upsert":…}; nothing: it stays as
// it is. `now`: the source; null: there is none. 404 document_missing_exception; 501: scripts.
Expected<std::optional<std::string>> merged_source(const std::string* now, std::string_view request,
                                                   std::string_view index, std::string_view id);

}  // namespace frond::broker::elasticsearch
