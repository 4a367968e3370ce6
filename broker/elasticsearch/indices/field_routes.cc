// _field_caps and _analyze: what fields there are, and the tokens of a text.
#include <map>
#include <memory>

#include "broker/elasticsearch/indices/analyze.h"
#include "broker/elasticsearch/search/search_targets.h"

namespace frond::broker::elasticsearch {
namespace {

using frond::http::Response;

Json capability(const MappedField& field) {
  return {{"type", name_of(field.type)}, {"searchable", true}, {"aggregatable", field.has_values()}};
}

Expected<Response> field_capabilities(const Targets& to, const Call& call) {
  const auto targets = FROND_EXPECT_OK(targets_of(to, call));
  std::string wanted(call.parameter("fields").value_or(""));
  if (wanted.empty()) wanted = list_in(FROND_EXPECT_OK(parse_object(call.request.body)).value("fields", Json()));
  const std::size_t patterns = split_list(wanted).size();
  if (patterns == 0) return validation_failed("no fields specified");
  if (patterns > kMaxNames) return illegal_argument("[fields] has more than " + std::to_string(kMaxNames) + " names");
  Json fields = Json::object(), names = Json::array();
  std::map<std::string, std::map<std::string, Json>> types;  // by field and type: the indices that have it
  std::map<std::pair<std::string, std::string>, Json> shown;
  for (const Meant& meant : targets.meant) {
    const auto searched = FROND_EXPECT_OK(searched_index(meant, targets.indices));
    names.push_back(searched.name);
    const auto add = [&](const std::string& name, const Json& capability) {
      if (!matches_any(wanted, name)) return;
      types[name][capability["type"]].push_back(searched.name);
      shown[{name, capability["type"]}] = capability;
    };
    for (const MappedField& field : searched.mapping->fields) add(field.name, capability(field));
    for (const std::string& object : searched.mapping->objects)
      add(object, {{"type", "object"}, {"searchable", false}, {"aggregatable", false}});
  }
  for (const auto& [name, by_type] : types)
    for (const auto& [type, indices] : by_type) {
      Json one = shown[{name, type}];
      if (by_type.size() > 1) one["indices"] = indices;
      fields[name][type] = std::move(one);
    }
  return json_response({{"indices", std::move(names)}, {"fields", std::move(fields)}});
}

Expected<Response> analyze(const Targets& to, const Call& call) {
  std::shared_ptr<const Mapping> mapping;
  if (!call.path_value("index").empty()) {
    const auto targets = FROND_EXPECT_OK(targets_of(to, call));
    if (targets.meant.size() != 1) return illegal_argument("_analyze is of one index");
    mapping = FROND_EXPECT_OK(searched_index(targets.meant.front(), targets.indices)).mapping;
  }
  Json body = FROND_EXPECT_OK(parse_object(call.request.body));
  for (const char* const name : {"text", "analyzer", "field"})
    if (const auto given = call.parameter(name)) body[name] = std::string(*given);
  return json_response(FROND_EXPECT_OK(analyzed(body, mapping.get())));
}

constexpr std::string_view kCapsParameters =
    "fields,ignore_unavailable,allow_no_indices,expand_wildcards,include_unmapped,filters,types";
constexpr std::string_view kAnalyzeParameters =
    "text,analyzer,field,index,ignore_unavailable,allow_no_indices,expand_wildcards";

constexpr auto kAskingFields = frond::http::Access::kSearch;
constexpr Route kFieldRoutes[] = {
    {"GET,POST", "[/{index}]/_field_caps", kAskingFields, kMaxBody, kCapsParameters, answering<field_capabilities>},
    {"GET,POST", "[/{index}]/_analyze", kAskingFields, kMaxBody, kAnalyzeParameters, answering<analyze>},
};

}  // namespace

std::span<const Route> field_routes() { return kFieldRoutes; }

}  // namespace frond::broker::elasticsearch
