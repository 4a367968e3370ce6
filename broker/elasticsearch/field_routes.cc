// _field_caps and _analyze: what fields there are, and the tokens of a text.
#include <map>
#include <memory>

#include "broker/elasticsearch/analyze.h"
#include "broker/elasticsearch/search_targets.h"

namespace frond::broker::elasticsearch {
namespace {

using frond::http::Responder;

Json capability(const MappedField& field) {
  return {{"type", name_of(field.type)}, {"searchable", true}, {"aggregatable", field.type != Type::kText}};
}

void serve_field_caps(const Targets& to, Call&& call, Responder responder) {
  const auto targets = targets_of(to, call);
  if (!targets) return responder.send(refusal_of(targets.error()));
  std::string patterns(call.parameter("fields").value_or(""));
  if (patterns.empty()) {
    const auto body = parse_object(call.request.body);
    if (!body) return responder.send(refusal_of(body.error()));
    const Json names = body->contains("fields") ? (*body)["fields"] : Json::array();
    for (const Json& one : names.is_array() ? names : Json::array({names}))
      if (one.is_string()) patterns += (patterns.empty() ? "" : ",") + one.get<std::string>();
  }
  const auto wanted = split_list(patterns);
  if (wanted.empty()) return responder.send(refusal_of(validation_failed("no fields specified")));
  if (wanted.size() > kMaxNames)
    return responder.send(
        refusal_of(illegal_argument("[fields] has more than " + std::to_string(kMaxNames) + " names")));
  Json fields = Json::object(), names = Json::array();
  std::map<std::string, std::map<std::string, Json>> types;  // by field and type: the indices that have it
  std::map<std::pair<std::string, std::string>, Json> shown;
  for (const Meant& meant : targets->meant) {
    const auto searched = searched_index(meant, targets->indices);
    if (!searched) return responder.send(refusal_of(searched.error()));
    names.push_back(searched->name);
    const auto add = [&](const std::string& name, const Json& capability) {
      for (const auto pattern : wanted)
        if (matches_pattern(pattern, name)) {
          types[name][capability["type"]].push_back(searched->name);
          shown[{name, capability["type"]}] = capability;
          return;
        }
    };
    for (const MappedField& field : searched->mapping->fields) add(field.name, capability(field));
    for (const std::string& object : searched->mapping->objects)
      add(object, {{"type", "object"}, {"searchable", false}, {"aggregatable", false}});
  }
  for (const auto& [name, by_type] : types)
    for (const auto& [type, indices] : by_type) {
      Json one = shown[{name, type}];
      if (by_type.size() > 1) one["indices"] = indices;
      fields[name][type] = std::move(one);
    }
  responder.send(json_response({{"indices", std::move(names)}, {"fields", std::move(fields)}}));
}

void serve_analyze(const Targets& to, Call&& call, Responder responder) {
  std::shared_ptr<const Mapping> mapping;
  if (!call.path_value("index").empty()) {
    const auto targets = targets_of(to, call);
    if (!targets) return responder.send(refusal_of(targets.error()));
    if (targets->meant.size() != 1) return responder.send(refusal_of(illegal_argument("_analyze is of one index")));
    auto searched = searched_index(targets->meant.front(), targets->indices);
    if (!searched) return responder.send(refusal_of(searched.error()));
    mapping = searched->mapping;
  }
  auto body = parse_object(call.request.body);
  if (!body) return responder.send(refusal_of(body.error()));
  for (const char* const name : {"text", "analyzer", "field"})
    if (const auto given = call.parameter(name)) (*body)[name] = std::string(*given);
  const auto tokens = analyzed(*body, mapping.get());
  responder.send(tokens ? json_response(*tokens) : refusal_of(tokens.error()));
}

constexpr std::string_view kCapsParameters =
    "fields,ignore_unavailable,allow_no_indices,expand_wildcards,include_unmapped,filters,types";
constexpr std::string_view kAnalyzeParameters =
    "text,analyzer,field,index,ignore_unavailable,allow_no_indices,expand_wildcards";

constexpr auto kAskingFields = frond::http::Access::kSearch;
constexpr Route kFieldRoutes[] = {
    {"GET", "/_field_caps", kAskingFields, kMaxBody, kCapsParameters, serve_field_caps},
    {"POST", "/_field_caps", kAskingFields, kMaxBody, kCapsParameters, serve_field_caps},
    {"GET", "/{index}/_field_caps", kAskingFields, kMaxBody, kCapsParameters, serve_field_caps},
    {"POST", "/{index}/_field_caps", kAskingFields, kMaxBody, kCapsParameters, serve_field_caps},
    {"GET", "/_analyze", kAskingFields, kMaxBody, kAnalyzeParameters, serve_analyze},
    {"POST", "/_analyze", kAskingFields, kMaxBody, kAnalyzeParameters, serve_analyze},
    {"GET", "/{index}/_analyze", kAskingFields, kMaxBody, kAnalyzeParameters, serve_analyze},
    {"POST", "/{index}/_analyze", kAskingFields, kMaxBody, kAnalyzeParameters, serve_analyze},
};

}  // namespace

std::span<const Route> field_routes() { return kFieldRoutes; }

}  // namespace frond::broker::elasticsearch
