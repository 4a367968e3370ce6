#include "broker/elasticsearch/hits/window_order.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "broker/elasticsearch/hits/hit_json.h"
#include "common/base/text.h"
#include "common/elasticsearch/date_format.h"
#include "common/elasticsearch/document.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

Json sorted_value(const schema::Value& value) {
  return std::visit(
      [](const auto& one) {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, bool>) return Json(one ? 1 : 0);
        return Json(one);
      },
      value);
}

// As a column has them, ascending; of dates milliseconds, of booleans 0 and 1.
std::vector<Json> column_values(const Json& source, const MappedField& field) {
  std::vector<Json> all;
  for (const Json& json : values_at(source, field.path)) {
    const auto value = value_of(field, json);
    if (!value || !*value || is_ignored(field, **value)) continue;
    all.push_back(sorted_value(**value));
  }
  std::ranges::sort(all);
  return all;
}

Json one_of(const std::vector<Json>& values, const AskedSort& key, const MappedField& field) {
  const std::string mode = key.mode.empty() ? (key.descending ? "max" : "min") : key.mode;
  if (mode == "max") return values.back();
  if (mode == "min" || field.type == Type::kKeyword) return values.front();
  if (values.size() == 1) return values.front();
  std::vector<double> numbers;
  for (const Json& one : values) numbers.push_back(one.get<double>());
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  const std::size_t half = numbers.size() / 2;
  const double made = mode == "sum"             ? sum
                      : mode == "avg"           ? sum / static_cast<double>(numbers.size())
                      : numbers.size() % 2 == 1 ? numbers[half]
                                                : (numbers[half - 1] + numbers[half]) / 2;
  const bool whole = is_whole(field.type) || field.type == Type::kDate;
  // Half a number is rounded up, also below 0.
  return whole ? Json(static_cast<std::int64_t>(std::clamp(std::floor(made + 0.5), -9.2e18, 9.2e18))) : Json(made);
}

Expected<Json> key_value(const Gathered& all, const Hit& hit, const Json& source, const AskedSort& key) {
  if (key.field == "_id") return Json(hit.id);
  if (key.field == "_score") return Json(hit.score.value_or(0));
  const Mapping& mapping = *all.indices[hit.index].searched.mapping;
  const MappedField* const field = mapping.find(key.field);
  if (key.field.starts_with('_')) return not_supported("a sort by [" + key.field + "] beside these");
  if (field == nullptr)
    return key.unmapped_type ? Expected<Json>(Json())
                             : ApiError{.type = "query_shard_exception",
                                        .reason = "No mapping found for [" + key.field + "] in order to sort on"};
  if (field->type == Type::kText)
    return illegal_argument(
        "Text fields are not optimised for operations that require per-document field data like "
        "aggregations and sorting: [" +
        key.field + "]");
  if (field->type == Type::kKeyword && !key.mode.empty() && key.mode != "min" && key.mode != "max")
    return illegal_argument("[" + key.field + "] is a keyword, whose sort has no mode [" + key.mode + "]");
  const auto values = column_values(source, *field);
  if (!values.empty()) return one_of(values, key, *field);
  if (key.missing.is_null()) return Json();
  const auto read = FROND_EXPECT_OK(value_of(*field, key.missing));
  return read ? sorted_value(*read) : Json();
}

Expected<void> check_missing(const Mapping& mapping, const AskedSort& key) {
  const MappedField* const field = mapping.find(key.field);
  if (field == nullptr || key.missing.is_null() || field->type == Type::kKeyword || field->type == Type::kText)
    return {};
  const auto* const text = key.missing.get_ptr<const std::string*>();
  if (key.missing.is_boolean() || (text != nullptr && !number_in<double>(*text)))
    return illegal_argument("For input string: \"" + text_in(key.missing).substr(0, 100) + "\"");
  return field->type == Type::kBoolean ? not_supported("[missing] of a sort by a boolean") : Expected<void>();
}

}  // namespace

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool comes_before(const Hit& a, const Hit& b, const SearchAsk& ask) {
  if (ask.by_score()) return a.score.value_or(0) > b.score.value_or(0);
  for (std::size_t i = 0; i < ask.sort.size(); ++i) {
    const Json &x = a.sort[i], &y = b.sort[i];
    if (x == y) continue;
    if (x.is_null() || y.is_null()) return x.is_null() == ask.sort[i].missing_first;
    const auto rank = [](const Json& value) {
      return value == "Infinity" ? Json(1e308) : value == "-Infinity" ? Json(-1e308) : value;
    };
    return ask.sort[i].descending ? rank(y) < rank(x) : rank(x) < rank(y);
  }
  return false;
}

Expected<void> order_hits(Gathered& all, const SearchAsk& ask) {
  for (const auto& index : all.indices)
    for (const AskedSort& key : ask.sort) FROND_EXPECT_OK(check_missing(*index.searched.mapping, key));
  for (Hit& hit : all.hits) {
    const Json source = Json::parse(hit.source, nullptr, /*allow_exceptions=*/false);
    hit.sort = Json::array();
    for (const AskedSort& key : ask.sort) hit.sort.push_back(FROND_EXPECT_OK(key_value(all, hit, source, key)));
  }
  std::ranges::stable_sort(all.hits, [&](const Hit& a, const Hit& b) {
    for (std::size_t i = 0; i < ask.sort.size(); ++i) {
      const Json &x = a.sort[i], &y = b.sort[i];
      if (x == y) continue;
      if (x.is_null() || y.is_null()) return x.is_null() == ask.sort[i].missing_first;
      return ask.sort[i].descending ? y < x : x < y;
    }
    return false;
  });
  for (Hit& hit : all.hits) {
    const Mapping& mapping = *all.indices[hit.index].searched.mapping;
    for (std::size_t i = 0; i < ask.sort.size(); ++i) {
      const AskedSort& key = ask.sort[i];
      Json& value = hit.sort[i];
      const MappedField* const field = mapping.find(key.field);
      if (field != nullptr && field->type == Type::kFloat && value.is_number()) value = Json::parse(score_text(value));
      if (value.is_null())
        value = missing_value({.field = field,
                               .unmapped_type = key.unmapped_type.value_or(""),
                               .descending = key.descending,
                               .missing_first = key.missing_first});
    }
  }
  return {};
}

Expected<void> check_collapse(const Mapping& mapping, const std::string& name) {
  if (name.empty()) return {};
  const MappedField* const field = mapping.find(name);
  if (field == nullptr) return illegal_argument("no mapping found for `" + name + "` in order to collapse on");
  if (field->type == Type::kText || field->type == Type::kDate || field->type == Type::kBoolean)
    return illegal_argument("collapse is not supported for the field [" + name + "] of the type [" +
                            std::string(name_of(field->type)) + "]");
  return {};
}

Expected<Json> collapse_value(const Gathered& in, const Hit& hit, const std::string& name) {
  const Mapping& mapping = *in.indices[hit.index].searched.mapping;
  const MappedField* const field = mapping.find(name);
  if (field == nullptr) return Json();
  auto values = column_values(Json::parse(hit.source, nullptr, /*allow_exceptions=*/false), *field);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() > 1)
    return illegal_argument("failed to collapse " + hit.id + ", the collapse field must be single valued");
  return values.empty() ? Json() : values.front();
}

Expected<Rescore> Rescore::read(const Json& json) {
  return typed([&]() -> Expected<Rescore> {
    Rescore made;
    if (!json.is_object() || !json.contains("query") || !json["query"].is_object())
      return parsing_exception("rescore must have a [query]");
    for (const auto& [key, value] : json.items())
      if (key != "window_size" && key != "query") return not_supported("[" + key + "] of a rescore");
    const auto hits = FROND_EXPECT_OK(whole_member(json, "window_size", 10));
    if (hits < 1) return illegal_argument("[window_size] must be positive");
    made.window = static_cast<std::size_t>(hits);
    for (const auto& [key, value] : json["query"].items()) {
      if (key == "rescore_query")
        made.query = value;
      else if (key == "query_weight")
        made.query_weight = value;
      else if (key == "rescore_query_weight")
        made.rescore_weight = value;
      else if (key == "score_mode")
        made.mode = value;
      else
        return parsing_exception("[query] unknown field [" + key + "]");
    }
    if (!made.query.is_object()) return parsing_exception("Required [rescore_query]");
    for (const char* const known : {"total", "multiply", "avg", "max", "min"})
      if (made.mode == known) return made;
    return illegal_argument("illegal score_mode [" + made.mode + "]");
  });
}

double Rescore::combined(double first, std::optional<double> again) const {
  const double a = first * query_weight;
  if (!again) return a;
  const double b = *again * rescore_weight;
  if (mode == "multiply") return a * b;
  if (mode == "avg") return (a + b) / 2;
  if (mode == "max") return std::max(a, b);
  return mode == "min" ? std::min(a, b) : a + b;
}

}  // namespace frond::broker::elasticsearch
