#include "broker/elasticsearch/hit_json.h"

#include <algorithm>

#include "broker/elasticsearch/date_format.h"
#include "broker/elasticsearch/document.h"
#include "broker/elasticsearch/json_body.h"
#include "common/schema/json.h"

namespace frond::broker::elasticsearch {
namespace {

using Ordered = nlohmann::ordered_json;

bool is_named(const std::vector<std::string>& patterns, const std::string& path) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return matches_pattern(pattern, path) || (path.starts_with(pattern) && path[pattern.size()] == '.');
  });
}

Ordered filtered_object(const Ordered& object, const std::string& above, const ShownSource& filter);

// Nothing: it is left out.
std::optional<Ordered> filtered_value(const Ordered& value, const std::string& path, const ShownSource& filter) {
  if (is_named(filter.excludes, path)) return {};
  const bool wanted = filter.includes.empty() || is_named(filter.includes, path);
  if (value.is_object()) {
    Ordered inner = filtered_object(value, path, filter);
    if (inner.empty() && !(wanted && value.empty())) return {};
    return inner;
  }
  if (value.is_array() && !value.empty() && value.front().is_object()) {
    Ordered all = Ordered::array();
    for (const Ordered& one : value)
      if (auto kept = filtered_value(one, path, filter)) all.push_back(*std::move(kept));
    if (all.empty()) return {};
    return all;
  }
  return wanted ? std::optional(value) : std::nullopt;
}

Ordered filtered_object(const Ordered& object, const std::string& above, const ShownSource& filter) {
  Ordered made = Ordered::object();
  for (const auto& [key, value] : object.items())
    if (auto kept = filtered_value(value, above.empty() ? key : above + "." + key, filter))
      made[key] = *std::move(kept);
  return made;
}

void collect(const Json& json, std::string_view path, std::vector<Json>& to) {
  if (json.is_array()) {
    for (const Json& one : json) collect(one, path, to);
  } else if (path.empty()) {
    if (!json.is_null()) to.push_back(json);
  } else if (json.is_object()) {
    if (const auto whole = json.find(std::string(path)); whole != json.end()) collect(*whole, "", to);
    for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1))
      if (const auto inner = json.find(std::string(path.substr(0, dot))); inner != json.end())
        collect(*inner, path.substr(dot + 1), to);
  }
}

Json shown(const MappedField& field, const schema::Value& value, const std::string& format) {
  if (field.type == Type::kDate) {
    const std::int64_t ms = std::get<std::int64_t>(value);
    const auto text = print_date(ms, format.empty() ? field.format : format);
    return text ? Json(*text) : Json(ms);
  }
  return std::visit([](const auto& one) { return Json(one); }, value);
}

// `sorted`: as columns have them: keywords without repeats, floats in 32 bits.
Json field_values(const MappedField& field, const Json& source, const std::string& format, bool sorted) {
  std::vector<schema::Value> values;
  std::vector<Json> plain;
  for (const Json& json : values_at(source, field.path)) {
    auto value = value_of(field, json);
    if (!value || !*value) continue;
    const auto* const word = std::get_if<std::string>(&**value);
    if (word != nullptr && field.type == Type::kKeyword && word->size() > field.ignore_above) continue;
    if (!sorted && field.type == Type::kFloat && json.is_number()) plain.push_back(json);
    values.push_back(**value);
  }
  if (sorted) {
    std::ranges::sort(values);
    if (field.type == Type::kKeyword) values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  Json all = Json::array();
  for (std::size_t i = 0; i < values.size(); ++i)
    all.push_back(plain.size() == values.size() ? plain[i] : shown(field, values[i], format));
  return all;
}

void add_fields(const std::vector<AskedField>& asked, const Json& source, const Mapping& mapping, bool sorted,
                Json& to) {
  for (const AskedField& one : asked)
    for (const MappedField& field : mapping.fields) {
      if (!matches_pattern(one.pattern, field.name) || (sorted && field.type == Type::kText)) continue;
      Json values = field_values(field, source, one.format == "use_field_mapping" ? "" : one.format, sorted);
      if (!values.empty()) to[field.name] = std::move(values);
    }
}

}  // namespace

Expected<void> check_shown(const SearchAsk& ask, const Mapping& mapping) {
  for (const auto* const list : {&ask.fields, &ask.docvalue_fields})
    for (const AskedField& one : *list) {
      const MappedField* const field = mapping.find(one.pattern);
      if (field == nullptr) continue;
      if (list == &ask.docvalue_fields && field->type == Type::kText)
        return illegal_argument(
            "Text fields are not optimised for operations that require per-document field data like aggregations and "
            "sorting, "
            "so these operations are disabled by default. Please use a keyword field instead: [" +
            field->name + "]");
      if (one.format.empty() || one.format == "use_field_mapping") continue;
      if (field->type != Type::kDate || !print_date(0, one.format))
        return not_supported("[format] " + one.format + " of field [" + field->name + "]");
    }
  return {};
}

std::vector<Json> values_at(const Json& source, std::string_view path) {
  std::vector<Json> all;
  collect(source, path, all);
  return all;
}

std::string filtered_source(std::string_view source, const ShownSource& filter) {
  if (filter.whole()) return std::string(source);
  const Ordered parsed = Ordered::parse(source, nullptr, /*allow_exceptions=*/false);
  return filtered_object(parsed, "", filter).dump(-1, ' ', false, Ordered::error_handler_t::replace);
}

void append_hit(std::string& out, const Hit& hit, const SearchAsk& ask, const SearchedIndex& index) {
  out.append("{\"_index\":\"").append(index.name).append("\",\"_id\":").append(schema::json_string(hit.id));
  if (ask.explain) out += ",\"_shard\":\"[" + index.name + "][0]\",\"_node\":\"frond\"";
  const bool scored = hit.score && (ask.by_score() || ask.sorts_scores());
  out.append(",\"_score\":").append(scored ? score_text(*hit.score) : "null");
  if (ask.source.shown && !hit.source.empty()) {
    out += ",\"_source\":";
    ask.source.whole() ? out.append(hit.source) : out.append(filtered_source(hit.source, ask.source));
  }
  if (!ask.fields.empty() || !ask.docvalue_fields.empty()) {
    const Json source = Json::parse(hit.source, nullptr, /*allow_exceptions=*/false);
    Json fields = Json::object();
    add_fields(ask.fields, source, *index.mapping, /*sorted=*/false, fields);
    add_fields(ask.docvalue_fields, source, *index.mapping, /*sorted=*/true, fields);
    if (!fields.empty()) out.append(",\"fields\":").append(dumped(fields));
  }
  if (!hit.highlight.is_null()) out.append(",\"highlight\":").append(dumped(hit.highlight));
  if (!hit.sort.is_null()) out.append(",\"sort\":").append(dumped(hit.sort));
  if (ask.explain)
    out.append(",\"_explanation\":{\"value\":")
        .append(scored ? score_text(*hit.score) : "0.0")
        .append(",\"description\":\"the sum of what the clauses that match score\",\"details\":[]}");
  out += '}';
}

}  // namespace frond::broker::elasticsearch
