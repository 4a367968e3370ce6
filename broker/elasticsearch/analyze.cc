#include "broker/elasticsearch/analyze.h"

#include <string>
#include <utility>
#include <vector>

#include "broker/elasticsearch/json_body.h"
#include "broker/elasticsearch/token_stream.h"

namespace frond::broker::elasticsearch {
namespace {

// Offsets of clients count characters of 16 bits.
std::size_t utf16_length(std::string_view text) {
  std::size_t length = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) != 0x80) length += byte >= 0xf0 ? 2 : 1;
  }
  return length;
}

// What the request names: an analyzer, a field's, or parts of one. `analysis`: of the index.
Expected<Json> parts_asked(const Json& body, const Json& analysis, const Mapping* mapping) {
  const std::string normalizer = FROND_EXPECT_OK(text_member(body, "normalizer", ""));
  if (body.contains("tokenizer") || (body.contains("filter") && !body.contains("analyzer")))
    return Json{{"tokenizer", body.value("tokenizer", Json("keyword"))},
                {"filter", body.value("filter", Json::array())}};
  if (!normalizer.empty()) {
    const Json* const own = at_path(analysis, "normalizer." + normalizer);
    if (own == nullptr && normalizer != "lowercase")
      return illegal_argument("failed to find normalizer under [" + normalizer + "]");
    return Json{{"tokenizer", "keyword"},
                {"filter", own == nullptr ? Json("lowercase") : own->value("filter", Json::array())}};
  }
  std::string analyzer = FROND_EXPECT_OK(text_member(body, "analyzer", ""));
  const std::string name = FROND_EXPECT_OK(text_member(body, "field", ""));
  const MappedField* const field = mapping != nullptr && !name.empty() ? mapping->find(name) : nullptr;
  if (analyzer.empty() && field != nullptr && field->type != Type::kText) return analyzer_parts(analysis, "keyword");
  if (analyzer.empty()) analyzer = field != nullptr ? field->analyzer : "standard";
  Json parts = FROND_EXPECT_OK(analyzer_parts(analysis, analyzer));
  if (parts.is_null()) return illegal_argument("failed to find global analyzer [" + analyzer + "]");
  return parts;
}

}  // namespace

Expected<Json> analyzed(const Json& body, const Mapping* mapping) {
  return typed([&]() -> Expected<Json> {
    for (const auto& [key, value] : body.items()) {
      if (key == "char_filter" && value.empty()) continue;
      if ((key == "char_filter" || key == "explain" || key == "attributes") && value != false)
        return not_supported("[" + key + "] of _analyze");
      if (key != "text" && key != "analyzer" && key != "field" && key != "tokenizer" && key != "filter" &&
          key != "normalizer" && key != "explain")
        return parsing_exception("Unknown parameter [" + key + "] in request body or parameter is of the wrong type");
    }
    std::vector<std::string> texts;
    const Json given = body.value("text", Json());
    for (const Json& one : given.is_array() ? given : Json::array({given}))
      if (one.is_string()) texts.push_back(one);
    if (texts.empty()) return validation_failed("text is missing");
    const Json analysis = mapping != nullptr ? mapping->analysis : Json::object();
    const Json parts = FROND_EXPECT_OK(parts_asked(body, analysis, mapping));
    Json tokens = Json::array();
    std::size_t position = 0, before = 0;
    for (const std::string& text : texts) {
      const std::string_view view(text);
      std::size_t last = position, at = 0, units = before;  // as many units of 16 bits are before the byte `at`
      for (const ShownToken& one : FROND_EXPECT_OK(tokens_of(analysis, parts, view))) {
        units += utf16_length(view.substr(at, one.begin - at));  // tokens begin in their order
        at = one.begin;
        tokens.push_back({{"token", one.text},
                          {"start_offset", units},
                          {"end_offset", units + utf16_length(view.substr(one.begin, one.end - one.begin))},
                          {"type", one.type},
                          {"position", position + one.position}});
        last = position + one.position + 1;
      }
      if (tokens.size() > kMaxShownTokens)
        return illegal_argument(
            "The number of tokens produced by calling _analyze has exceeded the allowed maximum of [" +
            std::to_string(kMaxShownTokens) + "]");
      before += utf16_length(text) + 1;
      position = last + 100;
    }
    return Json{{"tokens", std::move(tokens)}};
  });
}

}  // namespace frond::broker::elasticsearch
