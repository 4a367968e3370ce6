#include "broker/elasticsearch/analyze.h"

#include <algorithm>

#include "common/text/analyzer.h"

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

std::string_view token_type(std::string_view token) {
  return std::ranges::all_of(token, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == ','; })
             ? "<NUM>"
             : "<ALPHANUM>";
}

}  // namespace

Expected<Json> analyzed(const Json& body, const Mapping* mapping) {
  return typed([&]() -> Expected<Json> {
    for (const auto& [key, value] : body.items()) {
      if (key == "tokenizer" || key == "filter" || key == "char_filter" || key == "normalizer" || key == "explain" ||
          key == "attributes") {
        if (!body.contains("text")) break;
        return not_supported("[" + key + "] of _analyze");
      }
      if (key != "text" && key != "analyzer" && key != "field")
        return parsing_exception("Unknown parameter [" + key + "] in request body or parameter is of the wrong type");
    }
    std::vector<std::string> texts;
    const Json given = body.value("text", Json());
    for (const Json& one : given.is_array() ? given : Json::array({given}))
      if (one.is_string()) texts.push_back(one);
    if (texts.empty()) return validation_failed("text is missing");
    std::string analyzer = body.value("analyzer", Json("")).is_string() ? body.value("analyzer", "") : "";
    const MappedField* const field = mapping != nullptr && body.contains("field") && body["field"].is_string()
                                         ? mapping->find(body["field"].get<std::string>())
                                         : nullptr;
    Json tokens = Json::array();
    std::size_t position = 0, before = 0;
    const auto add = [&](std::string_view token, std::size_t begin, std::size_t end, std::string_view type) {
      tokens.push_back(
          {{"token", token}, {"start_offset", begin}, {"end_offset", end}, {"type", type}, {"position", position}});
      ++position;
    };
    const bool whole = field != nullptr && field->type == Type::kKeyword;
    if (analyzer.empty()) analyzer = field != nullptr && field->type == Type::kText ? field->analyzer : "standard";
    const auto config =
        FROND_EXPECT_OK(analyzer_named(mapping != nullptr ? mapping->analysis : Json::object(), analyzer));
    if (!config) return illegal_argument("failed to find global analyzer [" + analyzer + "]");
    if (!config->stop_words.are_none()) return not_supported("_analyze with stop words");
    text::Analyzer made(*config, 0);
    for (const std::string& text : texts) {
      if (whole)
        add(text, before, before + utf16_length(text), "word");
      else
        made.analyze(text, [&](std::string_view term, text::TokenSpan where) {
          const std::string_view view(text);
          add(term, before + utf16_length(view.substr(0, where.begin)),
              before + utf16_length(view.substr(0, where.end)),
              token_type(view.substr(where.begin, where.end - where.begin)));
        });
      before += utf16_length(text) + 1;
      position += 100;
    }
    return Json{{"tokens", std::move(tokens)}};
  });
}

}  // namespace frond::broker::elasticsearch
