#include "broker/elasticsearch/indices/templates.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "broker/elasticsearch/indices/aliases.h"
#include "broker/elasticsearch/indices/index_settings.h"
#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/mapping.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::size_t kMostPatterns = 100;
constexpr std::size_t kMaxPatternBytes = 4 << 10;  // of a template's in all
constexpr std::size_t kMostComponents = 100;
constexpr const char* kParts[] = {"settings", "mappings", "aliases"};

ApiError unknown_member(std::string_view kind, const std::string& member) {
  return {.type = "x_content_parse_exception",
          .reason = "[" + std::string(kind) + "] unknown field [" + member.substr(0, 200) + "]"};
}

Json patterns_of(const Json& value) { return value.is_string() ? Json::array({value}) : value; }

// Whether some name matches both.
bool overlap(std::string_view a, std::string_view b) {
  // By how much of a and of b: whether some text matches both beginnings.
  std::vector<std::vector<bool>> meet(a.size() + 1, std::vector<bool>(b.size() + 1));
  meet[0][0] = true;
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (!meet[i][j]) continue;
      const bool more_a = i < a.size(), more_b = j < b.size();
      const bool star_a = more_a && a[i] == '*', star_b = more_b && b[j] == '*';
      if (star_a || (more_a && star_b)) meet[i + 1][j] = true;
      if (star_b || (more_b && star_a)) meet[i][j + 1] = true;
      if (more_a && more_b && a[i] == b[j]) meet[i + 1][j + 1] = true;
    }
  return meet[a.size()][b.size()];
}

bool matches(const Json& one, std::string_view name) {
  return std::ranges::any_of(one.at("index_patterns"), [&](const Json& pattern) {
    return matches_pattern(pattern.get_ref<const std::string&>(), name);
  });
}

// Fields with other ones of the same name are replaced, objects are merged.
void merge_properties(Json& to, const Json& from) {
  for (const auto& [name, field] : from.items())
    if (to.contains(name) && to[name].contains("properties") && field.contains("properties"))
      merge_properties(to[name]["properties"], field["properties"]);
    else
      to[name] = field;
}

// `over`: comes before what is there. What is no object is left to whoever reads it.
void merge(Json& to, const Json& over) {
  for (const char* const part : kParts)
    if (over.contains(part) && !over[part].is_object()) to[part] = over[part];
  if (const auto settings = over.find("settings"); settings != over.end() && settings->is_object()) {
    FlatSettings all = flattened(to.value("settings", Json::object()));
    for (auto& [name, value] : flattened(*settings)) all[name] = value;
    to["settings"] = nested(all);
  }
  if (const auto mappings = over.find("mappings"); mappings != over.end() && mappings->is_object()) {
    Json& merged = to["mappings"];
    if (merged.is_null()) merged = Json::object();
    for (const auto& [name, value] : mappings->items())
      if (name == "properties" && value.is_object() && merged.contains(name))
        merge_properties(merged[name], value);
      else
        merged[name] = value;
  }
  if (const auto aliases = over.find("aliases"); aliases != over.end() && aliases->is_object()) {
    if (!to.contains("aliases")) to["aliases"] = Json::object();
    to["aliases"].update(*aliases);
  }
}

// The parts of a template, as they are kept.
Expected<Json> parts_of(const Json& body) {
  Json parts = Json::object();
  if (body.contains("settings")) {
    FlatSettings settings = FROND_EXPECT_OK(read_settings(body["settings"]));
    std::erase_if(settings, [](const auto& one) { return one.second.is_null(); });
    parts["settings"] = nested(settings);
  }
  if (body.contains("mappings")) {
    if (!body["mappings"].is_object()) return parsing_exception("[mappings] of a template is no object");
    parts["mappings"] = body["mappings"];
  }
  if (!body.contains("aliases")) return parts;
  if (!body["aliases"].is_object()) return parsing_exception("[aliases] of a template is no object");
  parts["aliases"] = Json::object();
  for (const auto& [alias, about] : body["aliases"].items()) parts["aliases"][alias] = FROND_EXPECT_OK(alias_of(about));
  return parts;
}

// With its components.
Expected<Json> composed(const Json& kept, const Json& one) {
  Json all = Json::object();
  const Json components = kept.value("component", Json::object());
  for (const Json& name : one.value("composed_of", Json::array()))
    if (const auto found = components.find(name.get_ref<const std::string&>()); found != components.end())
      merge(all, found->at("template"));
  merge(all, one.value("template", Json::object()));
  return all;
}

Expected<void> check_parts(const Json& parts) {
  FROND_EXPECT_OK(read_mapping(parts.value("settings", Json()), parts.value("mappings", Json()), Origin::kRequest));
  return {};
}

Expected<void> take_patterns(const Json& body, Json& made) {
  const Json patterns = patterns_of(body.value("index_patterns", Json()));
  const bool texts = patterns.is_array() && !patterns.empty() && patterns.size() <= kMostPatterns &&
                     std::ranges::all_of(patterns, [](const Json& one) {
                       return one.is_string() && !one.get_ref<const std::string&>().empty() &&
                              one.get_ref<const std::string&>().size() <= kMaxAliasBytes;
                     });
  if (!texts) return validation_failed("index patterns are missing, or are no texts");
  std::size_t bytes = 0;
  for (const Json& one : patterns) bytes += one.get_ref<const std::string&>().size();
  if (bytes > kMaxPatternBytes)
    return validation_failed("index patterns have more than " + std::to_string(kMaxPatternBytes) + " bytes in all");
  made["index_patterns"] = patterns;
  return {};
}

Expected<void> check_others(std::string_view name, const Json& made, const Json& kept) {
  const Json others = kept.value("index", Json::object());
  for (const auto& [other, about] : others.items()) {
    if (other == name || about.value("priority", Json(0)) != made.value("priority", Json(0))) continue;
    for (const Json& a : made["index_patterns"])
      for (const Json& b : about["index_patterns"])
        if (overlap(a.get_ref<const std::string&>(), b.get_ref<const std::string&>()))
          return illegal_argument("index template [" + std::string(name) + "] has index patterns " +
                                  dumped(made["index_patterns"]) + " matching patterns from existing templates [" +
                                  other + "] with patterns (" + other + " => " + dumped(about["index_patterns"]) +
                                  ") that have the same priority [" + dumped(made.value("priority", Json(0))) +
                                  "], multiple index templates may not match during index creation, please use a "
                                  "different priority");
  }
  return {};
}

Expected<Json> composable(std::string_view name, const Json& body, const Json& kept, bool component) {
  Json made = Json::object();
  if (!component) FROND_EXPECT_OK(take_patterns(body, made));
  const std::string_view kind = component ? "component_template" : "index_template";
  for (const auto& [key, value] : body.items()) {
    if (key == "template") {
      if (!value.is_object()) return parsing_exception("[template] is no object");
      for (const auto& [part, about] : value.items())
        if (std::ranges::find(kParts, part) == std::end(kParts)) return unknown_member("template", part);
      made[key] = FROND_EXPECT_OK(parts_of(value));
    } else if (key == "version" || (key == "priority" && !component)) {
      made[key] = FROND_EXPECT_OK(whole_member(body, key.c_str(), 0));
    } else if (key == "_meta") {
      made[key] = value;
    } else if (key == "composed_of" && !component) {
      const bool names = value.is_array() && value.size() <= kMostComponents &&
                         std::ranges::all_of(value, [](const Json& one) { return one.is_string(); });
      if (!names) return parsing_exception("[composed_of] is no list of names");
      made[key] = value;
    } else if (key == "data_stream") {
      return not_supported("[data_stream] of a template");
    } else if (key == "allow_auto_create" && value.is_boolean()) {
      if (value == false) return not_supported("[allow_auto_create] false of a template");
      made[key] = value;
    } else if (key != "index_patterns" || component) {
      return unknown_member(kind, key);
    }
  }
  if (component) {
    if (!made.contains("template")) return validation_failed("[template] is missing");
    FROND_EXPECT_OK(check_parts(made["template"]));
    return made;
  }
  if (!made.contains("composed_of")) made["composed_of"] = Json::array();
  const Json components = kept.value("component", Json::object());
  for (const Json& one : made["composed_of"])
    if (!components.contains(one.get_ref<const std::string&>()))
      return ApiError{.type = "invalid_index_template_exception",
                      .reason = "index_template [" + std::string(name) + "] invalid, cause [index template [" +
                                std::string(name) + "] specifies component templates [" + one.get<std::string>() +
                                "] that do not exist]"};
  const auto whole = FROND_EXPECT_OK(composed(kept, made));
  FROND_EXPECT_OK(check_parts(whole));
  FROND_EXPECT_OK(check_others(name, made, kept));
  return made;
}

Expected<Json> legacy(const Json& body) {
  Json made = FROND_EXPECT_OK(parts_of(body));
  FROND_EXPECT_OK(take_patterns(body, made));
  for (const auto& [key, value] : body.items()) {
    if (key == "order" || key == "version")
      made[key] = FROND_EXPECT_OK(whole_member(body, key.c_str(), 0));
    else if (key != "index_patterns" && std::ranges::find(kParts, key) == std::end(kParts))
      return parse_exception("unknown key [" + key.substr(0, 200) + "] in the template");
  }
  made.emplace("order", 0);
  for (const char* const part : kParts) made.emplace(part, Json::object());
  FROND_EXPECT_OK(check_parts(made));
  return made;
}

}  // namespace

std::string_view member_of(TemplateKind kind) {
  constexpr std::string_view kMembers[] = {"index", "component", "legacy"};
  return kMembers[static_cast<std::size_t>(kind)];
}

Expected<Json> template_of(TemplateKind kind, std::string_view name, const Json& body, const Json& kept) {
  return typed([&]() -> Expected<Json> {
    return kind == TemplateKind::kLegacy ? legacy(body)
                                         : composable(name, body, kept, kind == TemplateKind::kComponent);
  });
}

const Json* composable_for(const Json& kept, std::string_view name) {
  const Json* chosen = nullptr;
  const auto priority = [](const Json& one) { return one.value("priority", std::int64_t{0}); };
  if (const auto index = kept.find("index"); index != kept.end())
    for (const Json& one : *index)
      if (matches(one, name) && (chosen == nullptr || priority(one) > priority(*chosen))) chosen = &one;
  return chosen;
}

Expected<Json> with_templates(const Json& kept, std::string_view name, const Json& body) {
  return typed([&]() -> Expected<Json> {
    if (kept.empty()) return body;
    Json all = Json::object();
    if (const Json* const chosen = composable_for(kept, name)) {
      all = FROND_EXPECT_OK(composed(kept, *chosen));
    } else if (const auto older = kept.find("legacy"); older != kept.end()) {
      std::vector<const Json*> matching;
      for (const Json& one : *older)
        if (matches(one, name)) matching.push_back(&one);
      std::ranges::stable_sort(matching, {}, [](const Json* one) { return one->value("order", std::int64_t{0}); });
      for (const Json* const one : matching) merge(all, *one);
    }
    merge(all, body);
    return all;
  });
}

}  // namespace frond::broker::elasticsearch
