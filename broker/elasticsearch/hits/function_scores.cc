#include "broker/elasticsearch/hits/function_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "broker/elasticsearch/hits/hit_json.h"
#include "broker/elasticsearch/queries/query_dsl.h"
#include "common/base/text.h"
#include "common/elasticsearch/date_format.h"
#include "common/elasticsearch/document.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::string_view kDecays[] = {"exp", "gauss", "linear"};
constexpr std::string_view kScoreModes[] = {"multiply", "sum", "avg", "first", "max", "min"};
constexpr std::string_view kBoostModes[] = {"multiply", "replace", "sum", "avg", "max", "min"};

bool has(auto&& list, std::string_view name) { return std::ranges::find(list, name) != std::end(list); }

// How values are combined; `weights`: of an average.
double combined(const std::string& mode, const std::vector<double>& values, double weights) {
  if (mode == "first") return values.front();
  if (mode == "max") return *std::ranges::max_element(values);
  if (mode == "min") return *std::ranges::min_element(values);
  if (mode == "multiply") return std::accumulate(values.begin(), values.end(), 1.0, std::multiplies<>());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return mode == "sum" ? sum : sum / weights;
}

Expected<double> modified(const std::string& modifier, double value) {
  if (modifier == "none") return value;
  if (modifier == "log") return std::log10(value);
  if (modifier == "log1p") return std::log10(value + 1);
  if (modifier == "log2p") return std::log10(value + 2);
  if (modifier == "ln") return std::log(value);
  if (modifier == "ln1p") return std::log1p(value);
  if (modifier == "ln2p") return std::log1p(value + 1);
  if (modifier == "square") return value * value;
  if (modifier == "sqrt") return std::sqrt(value);
  if (modifier == "reciprocal") return 1 / value;
  return illegal_argument("No enum constant Modifier." + modifier);
}

Expected<double> number_of(const Json& json, const MappedField& field, std::int64_t now_ms) {
  if (json.is_number()) return json.get<double>();
  if (field.type == Type::kDate && json.is_string())
    return static_cast<double>(
        FROND_EXPECT_OK(parse_date_math(json.get<std::string>(), field.format, DateReading{.now_ms = now_ms})));
  if (json.is_string())
    if (const auto number = number_in<double>(json.get_ref<const std::string&>())) return *number;
  return parsing_exception("a number is needed of field [" + field.name + "]");
}
Expected<double> distance_of(const Json& json, const MappedField& field) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string() && field.type != Type::kDate)
    if (const auto number = number_in<double>(json.get_ref<const std::string&>())) return *number;
  const auto ms = json.is_string() && field.type == Type::kDate ? duration_ms(json.get<std::string>()) : std::nullopt;
  if (ms) return static_cast<double>(*ms);
  return parsing_exception("a distance is needed of field [" + field.name + "]");
}

}  // namespace

std::vector<double> numbers_in(const Json& source, const MappedField& field) {
  std::vector<double> all;
  for (const Json& json : values_at(source, field.path)) {
    const auto value = value_of(field, json);
    if (!value || !*value) continue;
    if (const auto* const whole = std::get_if<std::int64_t>(&**value)) all.push_back(static_cast<double>(*whole));
    if (const auto* const number = std::get_if<double>(&**value)) all.push_back(*number);
    if (const auto* const flag = std::get_if<bool>(&**value)) all.push_back(*flag ? 1 : 0);
  }
  return all;
}

Expected<FunctionScores::Function> FunctionScores::function_in(const Json& json) {
  if (!json.is_object()) return parsing_exception("a function of a function_score query must be an object");
  Function made;
  bool weighted = false;
  for (const auto& [key, value] : json.items()) {
    if (key == "filter") {
      if (!value.is_object()) return parsing_exception("[filter] must be an object");
      made.filter = value;
    } else if (key == "weight") {
      if (!value.is_number() || value < 0)
        return illegal_argument("[weight] cannot be negative for a filtering function");
      made.weight = value;
      weighted = true;
    } else if (key == "field_value_factor" || has(kDecays, key)) {
      if (!made.kind.empty()) return parsing_exception("failed to parse [function_score] functions: two in one");
      made.kind = key;
      if (!value.is_object()) return parsing_exception("[" + key + "] must be an object");
      made.body = value;
      if (key == "field_value_factor") {
        FROND_EXPECT_OK(check_members(value, key, "field,factor,modifier,missing"));
        made.field = FROND_EXPECT_OK(text_member(value, "field", ""));
        continue;
      }
      for (const auto& [name, decay] : value.items())
        if (name != "multi_value_mode") {
          made.field = name;
          if (!decay.is_object() || !decay.contains("scale"))
            return parsing_exception("[" + key + "] must have a [scale]");
          FROND_EXPECT_OK(check_members(decay, key, "origin,scale,offset,decay"));
        }
      const std::string mode = FROND_EXPECT_OK(text_member(value, "multi_value_mode", "min"));
      if (mode != "min" && mode != "max" && mode != "avg" && mode != "sum")
        return illegal_argument("No enum constant MultiValueMode." + mode);
    } else if (key == "script_score" || key == "random_score") {
      return not_supported("[" + key + "] of a function_score query");
    } else if (key != "_name") {
      return parsing_exception("failed to parse [function_score]: unknown function [" + key + "]");
    }
  }
  if (made.kind.empty() && !weighted) return parsing_exception("an entry in functions list is missing a function.");
  if (!made.kind.empty() && made.field.empty()) return parsing_exception("[" + made.kind + "] must have a field");
  return made;
}

Expected<FunctionScores> FunctionScores::read(const Json& body, std::int64_t now_ms) {
  return typed([&]() -> Expected<FunctionScores> {
    FunctionScores made;
    made.now_ms_ = now_ms;
    Json alone = Json::object();
    for (const auto& [key, value] : body.items()) {
      if (key == "query") {
        made.query_ = value;
      } else if (key == "boost") {
        FROND_EXPECT_OK(check_boost(value));
        made.boost_ = value;
      } else if (key == "max_boost") {
        made.max_boost_ = value;
      } else if (key == "min_score") {
        made.min_score_ = value.get<double>();
      } else if (key == "score_mode") {
        made.score_mode_ = value;
        if (!has(kScoreModes, made.score_mode_))
          return illegal_argument("illegal score_mode [" + made.score_mode_ + "]");
      } else if (key == "boost_mode") {
        made.boost_mode_ = value;
        if (!has(kBoostModes, made.boost_mode_))
          return illegal_argument("illegal boost_mode [" + made.boost_mode_ + "]");
      } else if (key == "functions") {
        if (!value.is_array()) return parsing_exception("[functions] must be a list");
        if (value.size() > kMaxScoreFunctions)
          return illegal_argument("more than " + std::to_string(kMaxScoreFunctions) + " functions");
        for (const Json& one : value) made.functions_.push_back(FROND_EXPECT_OK(function_in(one)));
      } else {
        alone[key] = value;
      }
    }
    if (!alone.empty()) made.functions_.push_back(FROND_EXPECT_OK(function_in(alone)));
    return made;
  });
}

Expected<double> FunctionScores::decayed(const Function& function, const MappedField& field,
                                         const std::vector<double>& values) const {
  const Json& how = function.body[function.field];
  const bool date = field.type == Type::kDate;
  if (!how.contains("origin") && !date) return parsing_exception("[" + function.kind + "] must have an [origin]");
  const double origin =
      how.contains("origin") ? FROND_EXPECT_OK(number_of(how["origin"], field, now_ms_)) : static_cast<double>(now_ms_);
  const double scale = FROND_EXPECT_OK(distance_of(how["scale"], field)),
               offset = how.contains("offset") ? FROND_EXPECT_OK(distance_of(how["offset"], field)) : 0,
               decay = how.value("decay", 0.5);
  if (!(scale > 0) || !(offset >= 0) || !(decay > 0 && decay < 1))
    return illegal_argument("[" + function.kind + "] needs scale > 0, offset >= 0 and 0 < decay < 1");
  if (values.empty()) return 1.0;
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::max(0.0, std::abs(value - origin) - offset));
  const double distance =
      combined(function.body.value("multi_value_mode", "min"), distances, static_cast<double>(distances.size()));
  if (function.kind == "exp") return std::exp(std::log(decay) / scale * distance);
  if (function.kind == "gauss") return std::exp(distance * distance * std::log(decay) / (scale * scale));
  const double ends = scale / (1 - decay);
  return std::max(0.0, (ends - distance) / ends);
}

Expected<double> FunctionScores::value_of_function(const Function& function, const Json& source,
                                                   const Mapping& mapping) const {
  if (function.kind.empty()) return 1.0;
  const MappedField* const field = mapping.find(function.field);
  const Json& body = function.body;
  if (field == nullptr || field->type == Type::kText || field->type == Type::kKeyword) {
    if (function.kind == "field_value_factor" && field == nullptr && body.contains("missing"))
      return modified(body.value("modifier", "none"), body["missing"].get<double>() * body.value("factor", 1.0));
    return parsing_exception("field [" + function.field + "] of a function is no number in the mapping");
  }
  const std::vector<double> values = numbers_in(source, *field);
  if (function.kind != "field_value_factor") return decayed(function, *field, values);
  if (values.empty() && !body.contains("missing"))
    return illegal_argument("Missing value for field [" + function.field + "]");
  const double value = values.empty() ? body["missing"].get<double>() : *std::ranges::min_element(values);
  std::string modifier = body.value("modifier", "none");
  std::ranges::transform(modifier, modifier.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  const double made = FROND_EXPECT_OK(modified(modifier, value * body.value("factor", 1.0)));
  if (std::isnan(made) || made < 0)
    return illegal_argument("field value function must not produce negative scores, but got: [" + std::to_string(made) +
                            "] for field value: [" + std::to_string(value) + "]");
  return made;
}

Expected<void> FunctionScores::check_fields(const Mapping& mapping) const {
  for (const Function& one : functions_) {
    if (one.kind.empty() || mapping.find(one.field) != nullptr) continue;
    if (one.kind != "field_value_factor") return parsing_exception("unknown field [" + one.field + "]");
    if (!one.body.contains("missing"))
      return ApiError{
          .type = "exception",
          .reason = "Unable to find a field mapper for field [" + one.field + "]. No 'missing' value defined."};
  }
  return {};
}

Expected<double> FunctionScores::score(double of_query, const Json& source, const Mapping& mapping,
                                       const std::vector<bool>& matched) const {
  return typed([&]() -> Expected<double> {
    std::vector<double> values;
    double weights = 0;
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      if (!matched[i]) continue;
      const double value = FROND_EXPECT_OK(value_of_function(functions_[i], source, mapping));
      values.push_back(value * functions_[i].weight);
      weights += functions_[i].weight;
    }
    of_query *= boost_;
    if (functions_.empty()) return of_query;
    const double factor = std::min(values.empty() ? 1.0 : combined(score_mode_, values, weights), max_boost_);
    if (boost_mode_ == "replace") return factor;
    return combined(boost_mode_, {of_query, factor}, 2);
  });
}

}  // namespace frond::broker::elasticsearch
