#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "common/files/read.h"
#include "leaf/schedule/cost_model.h"

namespace frond::leaf::schedule {
namespace {

// Of floats, so that numbers have the fewest digits that read back equal.
using Json =
    nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

constexpr std::string_view kParts[kProcessors][kModes] = {{"cpu and", "cpu or"}, {"gpu and", "gpu or"}};
constexpr float kMaxNumber = 1e6f;  // of weights and values
constexpr float kMaxThreshold = 1e3f;
constexpr float kNeverGreater = 1e6f;  // the threshold of a level that a tree does not have
constexpr float kMaxQueries = 1e6f;    // of a batch

Error wrong(const std::string& where, const std::string& what) { return {Code::kInvalid, where + ": " + what}; }

Result<float> number_in(const Json& json, float min, float max, const std::string& where) {
  const float number = json.is_number() ? json.get<float>() : max + max;
  if (number >= min && number <= max) return number;
  return wrong(where, "no number from " + Json(min).dump() + " to " + Json(max).dump());
}

Result<std::size_t> input_named(const std::string& name, const std::string& where) {
  const auto found = std::find(kCostInputs.begin(), kCostInputs.end(), name);
  if (found == kCostInputs.end()) return wrong(where, "'" + name.substr(0, 40) + "' is no input");
  return static_cast<std::size_t>(found - kCostInputs.begin());
}

bool is_part(std::string_view name) {
  const auto is_one = [&](std::string_view one) { return one == name; };
  return name == "comment" || name == "launch_us" || name == "batch" ||
         std::any_of(&kParts[0][0], &kParts[0][0] + kProcessors * kModes, is_one);
}

// A list of lists of two.
bool are_pairs(const Json& json, std::size_t most) {
  if (!json.is_array() || json.size() > most) return false;
  return std::all_of(json.begin(), json.end(), [](const Json& one) { return one.is_array() && one.size() == 2; });
}

Result<CostTree> read_tree(const Json& json, const std::string& where) {
  static const Json kNone = Json::array();
  const Json& levels = json.is_object() ? json.value("greater", kNone) : kNone;
  const Json& values = json.is_object() ? json.value("values", kNone) : kNone;
  const std::size_t known = (json.contains("greater") ? 1 : 0) + (json.contains("values") ? 1 : 0);
  if (json.size() != known || !are_pairs(levels, CostTree::kDepth) || !values.is_array() ||
      values.size() != std::size_t{1} << levels.size())
    return wrong(where, "no tree of at most " + std::to_string(CostTree::kDepth) + " levels, with all their values");
  CostTree tree;
  tree.threshold.fill(kNeverGreater);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Json& name = levels[i][0];
    tree.input[i] = static_cast<std::uint8_t>(
        FROND_TRY(input_named(name.is_string() ? name.get<std::string>() : name.dump(), where)));
    tree.threshold[i] = FROND_TRY(number_in(levels[i][1], -kMaxThreshold, kMaxThreshold, where));
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    tree.value[i] = FROND_TRY(number_in(values[i], -kMaxNumber, kMaxNumber, where));
  return tree;
}

Result<CostRegression> read_regression(const Json& json, const std::string& part) {
  if (!json.is_object()) return wrong(part, "no object");
  CostRegression regression;
  for (const auto& [name, value] : json.items()) {
    const std::string where = part + ": " + name;
    if (name == "base") {
      regression.base = FROND_TRY(number_in(value, -kMaxNumber, kMaxNumber, where));
    } else if (name == "weights" && value.is_object()) {
      for (const auto& [input, weight] : value.items())
        regression.weight[FROND_TRY(input_named(input, where))] =
            FROND_TRY(number_in(weight, -kMaxNumber, kMaxNumber, where + ": " + input));
    } else if (name == "trees" && value.is_array() && value.size() <= CostRegression::kMaxTrees) {
      for (const Json& tree : value) regression.trees.push_back(FROND_TRY(read_tree(tree, where)));
    } else {
      return wrong(where,
                   "no base, no weights, or no list of up to " + std::to_string(CostRegression::kMaxTrees) + " trees");
    }
  }
  return regression;
}

}  // namespace

Result<CostModel> parse_cost_model(std::string_view text) {
  if (text.size() > kMaxCostModelBytes)
    return Error(Code::kInvalid, "longer than " + std::to_string(kMaxCostModelBytes) + " bytes");
  if (text.starts_with("frond-cost-model"))
    return Error(Code::kInvalid, "of an earlier version: frond bench schedule --train makes a new one");
  constexpr int kDepth = 8;  // what lies deeper is left out, so it can't be too deep for what reads it
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kDepth; };
  const Json json = Json::parse(text, shallow, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error(Code::kInvalid, "no JSON object");
  for (const auto& [name, value] : json.items())
    if (!is_part(name)) return wrong("'" + name.substr(0, 40) + "'", "no part of a cost model");
  CostModel model;
  model.launch_us = FROND_TRY(number_in(json.value("launch_us", Json(model.launch_us)), 0, kMaxNumber, "launch_us"));
  const Json batch = json.value("batch", Json::array());
  if (!are_pairs(batch, CostModel::kMaxScales))
    return wrong("batch", "no list of up to " + std::to_string(CostModel::kMaxScales) + " pairs");
  for (const Json& one : batch) {
    const float queries = FROND_TRY(number_in(one[0], 1, kMaxQueries, "batch"));
    const float scale = FROND_TRY(number_in(one[1], 1e-3f, 1e3f, "batch"));
    model.scales.push_back({static_cast<std::uint32_t>(queries), scale});
    if (model.scales.size() > 1 && model.scales.rbegin()[1].queries >= model.scales.back().queries)
      return wrong("batch", "sizes must ascend");
  }
  for (std::size_t p = 0; p < kProcessors; ++p)
    for (std::size_t m = 0; m < kModes; ++m) {
      const std::string part(kParts[p][m]);
      model.regressions[p][m] = FROND_TRY(read_regression(json.value(part, Json()), part));
    }
  return model;
}

Result<CostModel> read_cost_model(const std::filesystem::path& file) {
  const auto text = files::read_text(file, kMaxCostModelBytes + 1);
  if (text == Code::kNotFound) return Error(Code::kNotFound, file.string() + ": can't be read");
  auto model = parse_cost_model(FROND_TRY(text));
  if (!model) return std::move(model).error().within(file.string());
  return model;
}

std::string cost_model_text(const CostModel& model, const std::string& comment) {
  Json json{{"comment", comment}, {"launch_us", model.launch_us}, {"batch", Json::array()}};
  for (const auto& scale : model.scales) json["batch"].push_back({scale.queries, scale.scale});
  for (std::size_t p = 0; p < kProcessors; ++p)
    for (std::size_t m = 0; m < kModes; ++m) {
      const CostRegression& regression = model.regressions[p][m];
      Json weights = Json::object(), trees = Json::array();
      for (std::size_t i = 0; i < kCostInputs.size(); ++i)
        if (regression.weight[i] != 0) weights[std::string(kCostInputs[i])] = regression.weight[i];
      for (const CostTree& tree : regression.trees) {
        Json levels = Json::array(), values = Json::array();
        for (std::size_t i = 0; i < CostTree::kDepth && tree.threshold[i] < kNeverGreater; ++i)
          levels.push_back({kCostInputs[tree.input[i]], tree.threshold[i]});
        for (std::size_t i = 0; i < std::size_t{1} << levels.size(); ++i) values.push_back(tree.value[i]);
        trees.push_back({{"greater", levels}, {"values", values}});
      }
      json[std::string(kParts[p][m])] = {{"base", regression.base}, {"weights", weights}, {"trees", trees}};
    }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace frond::leaf::schedule
