#include "broker/elasticsearch/hits/hit_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "broker/elasticsearch/hits/many_names.h"
#include "common/elasticsearch/date_format.h"
#include "common/elasticsearch/document.h"
#include "common/elasticsearch/json_body.h"
#include "common/schema/json.h"

namespace frond::broker::elasticsearch {
namespace {

using Ordered = nlohmann::ordered_json;

// `Any`: Ordered, or Json.
bool is_named(const std::vector<std::string>& patterns, const std::string& path) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return matches_pattern(pattern, path) || (path.starts_with(pattern) && path[pattern.size()] == '.');
  });
}

template <class Any>
Any filtered_object(const Any& object, const std::string& above, const ShownSource& filter);

// Nothing: it is left out.
template <class Any>
std::optional<Any> filtered_value(const Any& value, const std::string& path, const ShownSource& filter) {
  if (is_named(filter.excludes, path)) return {};
  const bool wanted = filter.includes.empty() || is_named(filter.includes, path);
  if (value.is_object()) {
    Any inner = filtered_object(value, path, filter);
    if (inner.empty() && !wanted) return {};
    return inner;
  }
  if (value.is_array() && !value.empty() && value.front().is_object()) {
    Any all = Any::array();
    for (const Any& one : value)
      if (auto kept = filtered_value(one, path, filter); kept && (!kept->empty() || one.empty()))
        all.push_back(*std::move(kept));
    if (all.empty()) return {};
    return all;
  }
  return wanted ? std::optional(value) : std::nullopt;
}

template <class Any>
Any filtered_object(const Any& object, const std::string& above, const ShownSource& filter) {
  Any made = Any::object();
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
  if (!format.empty() && is_number(field.type))
    if (const auto text = std::visit(
            [&](const auto& one) -> std::optional<std::string> {
              if constexpr (std::is_arithmetic_v<std::decay_t<decltype(one)>>)
                return print_number(static_cast<double>(one), format);
              return std::nullopt;
            },
            value))
      return *text;
  return std::visit([](const auto& one) { return Json(one); }, value);
}

// `sorted`: as columns have them: keywords without repeats, floats in 32 bits.
Json field_values(const MappedField& field, const Json& source, const std::string& format, bool sorted) {
  std::vector<schema::Value> values;
  std::vector<Json> plain;
  for (const Json& json : values_at(source, field.path)) {
    auto value = value_of(field, json);
    if (!value || !*value) continue;
    if (is_ignored(field, **value)) continue;
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

// `columns`: its values are those of the column.
Expected<void> check_format(const MappedField& field, const std::string& format, bool columns) {
  const bool formats = field.type == Type::kDate || (columns && is_number(field.type));
  if (!format.empty() && !formats && !(columns && format == "use_field_mapping"))
    return illegal_argument("Field [" + field.name + "] of type [" + std::string(name_of(field.type)) +
                            "] doesn't support formats.");
  if (columns && field.type == Type::kText)
    return illegal_argument(
        "Text fields are not optimised for operations that require per-document field data like aggregations and "
        "sorting, so these operations are disabled by default. Please use a keyword field instead: [" +
        field.name + "]");
  if (format.empty() || (columns && format == "use_field_mapping")) return {};
  const bool prints = is_number(field.type) ? print_number(0, format).has_value()
                                            : format != "use_field_mapping" && print_date(0, format).has_value();
  return prints ? Expected<void>() : not_supported("[format] " + format + " of field [" + field.name + "]");
}

}  // namespace

std::optional<std::string> print_number(double value, std::string_view format) {
  // Signs before and behind "#,##0.0#": digits that must be, and those that may.
  const std::size_t first = format.find_first_of("#0.,"), last = format.find_last_of("#0.,");
  if (first == format.npos || format.size() > kMaxFormatBytes) return std::nullopt;
  const std::string_view digits = format.substr(first, last - first + 1);
  const std::string_view around[] = {format.substr(0, first), format.substr(last + 1)};
  for (const std::string_view text : around)
    if (text.find_first_of("%;'E\xe2") != text.npos) return std::nullopt;
  const std::size_t point = digits.find('.');
  const std::string_view whole = digits.substr(0, point),
                         part = point == digits.npos ? std::string_view() : digits.substr(point + 1);
  if (whole.find_first_not_of("#0,") != whole.npos || part.find_first_not_of("#0") != part.npos) return std::nullopt;
  const auto least = static_cast<std::size_t>(std::ranges::count(part, '0')),
             least_whole = static_cast<std::size_t>(std::ranges::count(whole, '0'));
  std::array<char, 512> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value),
                                 std::chars_format::fixed, static_cast<int>(part.size()));
  if (end.ec != std::errc()) return std::nullopt;
  const std::string_view printed(buffer.data(), end.ptr);
  const std::size_t dot = printed.find('.');
  std::string left(printed.substr(0, dot)), right(dot == printed.npos ? "" : printed.substr(dot + 1));
  while (right.size() > least && right.ends_with('0')) right.pop_back();
  if (left == "0" && least_whole == 0) left.clear();
  if (left.size() < least_whole) left.insert(0, least_whole - left.size(), '0');
  if (const std::size_t comma = whole.rfind(','); comma != whole.npos) {
    const std::size_t group = whole.size() - comma - 1;
    if (group == 0) return std::nullopt;
    for (std::size_t at = left.size(); at > group; at -= group) left.insert(at - group, ",");
  }
  if (left.empty() && right.empty()) left = "0";
  return (value < 0 ? "-" : "") + std::string(around[0]) + left + (right.empty() ? "" : "." + right) +
         std::string(around[1]);
}

Expected<void> check_shown(const SearchAsk& ask, const Mapping& mapping) {
  for (const bool columns : {false, true})
    for (const AskedField& one : columns ? ask.docvalue_fields : ask.fields) {
      if (columns && one.pattern.starts_with('_') && mapping.find(one.pattern) == nullptr)
        return not_supported("[" + one.pattern + "] in docvalue_fields");
      for (const MappedField& field : mapping.fields)
        if (matches_pattern(one.pattern, field.name)) FROND_EXPECT_OK(check_format(field, one.format, columns));
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
  const auto filtered = [&]<class Any>(const Any& parsed) {
    return filtered_object(parsed, "", filter).dump(-1, ' ', false, Any::error_handler_t::replace);
  };
  constexpr std::ptrdiff_t kMany = 500;  // these are shown in the order of their names
  if (has_many_names(source, kMany)) return filtered(Json::parse(source, nullptr, /*allow_exceptions=*/false));
  return filtered(Ordered::parse(source, nullptr, /*allow_exceptions=*/false));
}

void append_hit(std::string& out, const Hit& hit, const SearchAsk& ask, const SearchedIndex& index) {
  out.append("{\"_index\":").append(schema::json_string(index.name));
  if (ask.ids) out.append(",\"_id\":").append(schema::json_string(hit.id));
  if (ask.versions) out += ",\"_version\":" + std::to_string(hit.kept.version);
  if (ask.sequence_numbers)
    // Of documents without one as Elasticsearch shows it: -2, and no primary term.
    out += ",\"_seq_no\":" + (hit.kept.seq_no ? std::to_string(*hit.kept.seq_no) : "-2") +
           ",\"_primary_term\":" + (hit.kept.seq_no ? "1" : "0");
  if (ask.explain) out += ",\"_shard\":\"[" + index.name + "][0]\",\"_node\":\"frond\"";
  const bool scored = hit.score && ask.shows_scores();
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
    if (hit.more.contains("fields")) fields.update(hit.more["fields"]);
    if (!fields.empty()) out.append(",\"fields\":").append(dumped(fields));
  } else if (hit.more.contains("fields"))
    out.append(",\"fields\":").append(dumped(hit.more["fields"]));
  for (const char* const name : {"matched_queries", "inner_hits"})
    if (hit.more.contains(name)) out.append(",\"").append(name).append("\":").append(dumped(hit.more[name]));
  if (!hit.highlight.is_null()) out.append(",\"highlight\":").append(dumped(hit.highlight));
  if (!hit.sort.is_null()) out.append(",\"sort\":").append(dumped(hit.sort));
  if (ask.explain)
    out.append(",\"_explanation\":{\"value\":")
        .append(scored ? score_text(*hit.score) : "0.0")
        .append(",\"description\":\"the sum of what the clauses that match score\",\"details\":[]}");
  out += '}';
}

}  // namespace frond::broker::elasticsearch
