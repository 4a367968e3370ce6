#include "common/elasticsearch/completion_entry.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "common/base/text.h"
#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/token_stream.h"
#include "common/text/utf8.h"

namespace frond::elasticsearch {
namespace {

constexpr char kBetweenWords = '\x1f', kBetweenParts = '\x1e';
constexpr std::size_t kMaxInputUnits = 50;  // of UTF-16

std::string_view first_units(std::string_view text, std::size_t units) {
  for (std::size_t at = 0; at < text.size();) {
    const text::CodePoint one = text::decode_utf8(text, at);
    const std::size_t own = one.value != text::kNoCodePoint && one.value > 0xffff ? 2 : 1;
    if (own > units) return text.substr(0, at);
    units -= own;
    at += one.bytes;
  }
  return text;
}

Expected<std::int64_t> weight_in(const Json& json) {
  std::optional<std::int64_t> weight;
  if (json.is_number_integer()) weight = json.get<std::int64_t>();
  if (json.is_string()) weight = number_in<std::int64_t>(json.get_ref<const std::string&>());
  if (!weight) return illegal_argument("Weight must be an integer, but was [" + dumped(json).substr(0, 100) + "]");
  if (*weight < 0 || *weight > std::numeric_limits<std::int32_t>::max())
    return illegal_argument("Weight must be in the interval [0..2147483647], but was [" + std::to_string(*weight) +
                            "]");
  return *weight;
}

Expected<void> add_entries(const Json& json, std::vector<std::string>& to) {
  if (json.is_null()) return {};
  const Json whole = json.is_object() ? json : Json{{"input", json}};
  std::int64_t weight = 1;
  for (const auto& [key, value] : whole.items()) {
    if (key == "weight") weight = FROND_EXPECT_OK(weight_in(value));
    if (key == "contexts") return not_supported("[contexts] of a completion field");
    if (key != "weight" && key != "input")
      return illegal_argument("unknown field name [" + key.substr(0, 100) +
                              "], must be one of [weight, input, contexts]");
  }
  const Json inputs = whole.contains("input") ? whole["input"] : Json::array();
  for (const Json& input : inputs.is_array() ? inputs : Json::array({inputs})) {
    if (!input.is_string() || input.get_ref<const std::string&>().empty())
      return illegal_argument("input must be a text that is not empty");
    const std::string_view text = first_units(input.get_ref<const std::string&>(), kMaxInputUnits);
    if (std::ranges::any_of(text, [](char c) { return c >= 0 && c < ' '; }))
      return not_supported("a completion's input with control characters");
    const std::string compared = FROND_EXPECT_OK(compared_form(text));
    if (!compared.empty())
      to.push_back(compared + kBetweenParts + std::to_string(weight) + kBetweenParts + std::string(text));
  }
  return {};
}

}  // namespace

Expected<std::string> compared_form(std::string_view text) {
  static const Json kNoSettings = Json::object();
  const auto tokens = FROND_EXPECT_OK(token_stream(kNoSettings, {{"tokenizer", "lowercase"}}));
  std::string form;
  for (const ShownToken& token : FROND_EXPECT_OK(tokens(text))) {
    if (!form.empty()) form += kBetweenWords;
    form += token.text;
  }
  return form;
}

CompletionEntry parts_of(std::string_view entry) {
  const std::size_t first = entry.find(kBetweenParts), second = entry.find(kBetweenParts, first + 1);
  return {entry.substr(0, first), entry.substr(first + 1, second - first - 1), entry.substr(second + 1)};
}

Expected<std::vector<std::string>> completion_entries(const Json& json) {
  std::vector<std::string> entries;
  for (const Json& one : json.is_array() ? json : Json::array({json})) FROND_EXPECT_OK(add_entries(one, entries));
  return entries;
}

}  // namespace frond::elasticsearch
