#pragma once
// Parts of documents: what _update changes, and which members of a source are shown. Pure functions.
#include <optional>
#include <string>
#include <string_view>

#include "broker/elasticsearch/routes.h"

namespace frond::broker::elasticsearch {

// The document after an update, {"doc":…}, {"doc":…,"doc_as_upsert":true} or {"doc":…,"upsert":…}; nothing: it stays as
// it is. `now`: the source; null: there is none. 404 document_missing_exception; 501: scripts.
Expected<std::optional<std::string>> merged_source(const std::string* now, std::string_view request,
                                                   std::string_view index, std::string_view id);

// Which members are shown, by the parameters _source, _source_includes and _source_excludes.
struct SourceFilter {
  bool shown = true;
  std::string includes, excludes;  // lists between commas
  bool whole() const { return shown && includes.empty() && excludes.empty(); }
};
inline constexpr std::string_view kSourceParameters = "_source,_source_includes,_source_excludes";
SourceFilter source_filter(const Call& call);
// The members of a source, JSON, that are shown.
std::string shown_source(const std::string& source, const SourceFilter& filter);

}  // namespace frond::broker::elasticsearch
