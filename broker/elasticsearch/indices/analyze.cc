#include "broker/elasticsearch/indices/analyze.h"

#include <string>
#include <utility>
#include <vector>

#include "broker/elasticsearch/indices/catalogue.h"
#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/token_stream.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::size_t kMaxTexts = 100, kMaxTextBytes = 64 << 10;  // of a request

// By bytes of the text: characters of 16 bits before it, which clients count.
std::vector<std::size_t> utf16_offsets(std::string_view text) {
  std::vector<std::size_t> offsets(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    offsets[i + 1] = offsets[i] + ((byte & 0xc0) == 0x80 ? 0 : byte >= 0xf0 ? 2 : 1);
  }
  return offsets;
}

// Fields that every index has, of whose values there are no tokens.
constexpr std::string_view kWithoutTokens =
    "_id,_index,_source,_seq_no,_version,_field_names,_ignored,_nested_path,_doc_count";

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
  const bool has_words = field == nullptr || field->type == Type::kText || field->type == Type::kKeyword;
  if (analyzer.empty() && (!has_words || (mapping != nullptr && is_listed(kWithoutTokens, name))))
    return illegal_argument("Can't process field [" + name.substr(0, 200) +
                            "], Analysis requests are only supported on tokenized fields");
  if (analyzer.empty() && ((field != nullptr && field->type == Type::kKeyword) || name == "_routing"))
    return analyzer_parts(analysis, "keyword");
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
    std::size_t bytes = 0;
    const Json given = body.value("text", Json());
    if (given.size() > kMaxTexts)
      return illegal_argument("[text] has more than " + std::to_string(kMaxTexts) + " texts");
    if (given.is_object()) return parsing_exception("[text] is neither a text nor a list of texts");
    for (const Json& one : given) {  // itself if it is no array
      if (!one.is_string()) continue;
      texts.push_back(one);
      bytes += texts.back().size();
    }
    if (texts.empty()) return validation_failed("text is missing");
    if (bytes > kMaxTextBytes)
      return illegal_argument("[text] has more than " + std::to_string(kMaxTextBytes) + " bytes");
    if (mapping == nullptr && (body.contains("field") || body.contains("normalizer")))
      return illegal_argument("analysis based on a specific field or normalizer requires an index");
    if (body.contains("analyzer") && (body.contains("tokenizer") || body.contains("filter")))
      return validation_failed("cannot define extra components on a named analyzer");
    if (body.contains("normalizer") && (body.contains("tokenizer") || body.contains("analyzer")))
      return validation_failed("tokenizer/analyze should be null if normalizer is specified");
    for (const auto& [name, shown] :
         {std::pair("normalizer", "named normalizer"), {"field", "field-specific analyzer"}})
      if (body.contains(name) && (body.contains("tokenizer") || body.contains("filter")))
        return validation_failed("cannot define extra components on a " + std::string(shown));
    static const Json none = Json::object();
    const Json& analysis = mapping != nullptr ? mapping->analysis : none;
    Json parts = FROND_EXPECT_OK(parts_asked(body, analysis, mapping));
    const TokensOf tokens_of = FROND_EXPECT_OK(token_stream(analysis, std::move(parts)));
    Json tokens = Json::array();
    std::size_t position = 0, before = 0;
    for (const std::string& text : texts) {
      const std::vector<std::size_t> offsets = utf16_offsets(text);
      std::size_t last = position;
      for (const ShownToken& one : FROND_EXPECT_OK(tokens_of(text))) {
        tokens.push_back({{"token", one.text},
                          {"start_offset", before + offsets[one.begin]},
                          {"end_offset", before + offsets[one.end]},
                          {"type", one.type},
                          {"position", position + one.position}});
        last = position + one.position + 1;
      }
      if (tokens.size() > kMaxShownTokens)
        return illegal_argument(
            "The number of tokens produced by calling _analyze has exceeded the allowed maximum of [" +
            std::to_string(kMaxShownTokens) + "]");
      before += offsets.back() + 1;
      position = last + (mapping != nullptr ? 100 : 0);  // analyzers of no index put no gap there
    }
    return Json{{"tokens", std::move(tokens)}};
  });
}

}  // namespace frond::broker::elasticsearch
