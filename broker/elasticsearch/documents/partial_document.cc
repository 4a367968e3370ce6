#include "broker/elasticsearch/documents/partial_document.h"

#include "broker/elasticsearch/hits/many_names.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::ptrdiff_t kMaxUpdatedNames = 10'000;

void merge(Ordered& to, const Ordered& from) {
  for (const auto& [name, value] : from.items())
    if (value.is_object() && to.contains(name) && to[name].is_object())
      merge(to[name], value);
    else
      to[name] = value;
}

std::string text_of(const Ordered& json) { return json.dump(-1, ' ', false, Ordered::error_handler_t::replace); }

}  // namespace

Expected<std::optional<std::string>> merged_source(const std::string* now, std::string_view request,
                                                   std::string_view index, std::string_view id) {
  if (has_many_names(request, kMaxUpdatedNames) || (now != nullptr && has_many_names(*now, kMaxUpdatedNames)))
    return ApiError{.status = 413,
                    .type = "content_too_long_exception",
                    .reason = "an update, or the document of it, has more than " + std::to_string(kMaxUpdatedNames) +
                              " names or colons: index it whole"};
  const Json checked = FROND_EXPECT_OK(parse_object(request));
  if (checked.empty()) return validation_failed("script or doc is missing");
  for (const auto& [name, value] : checked.items()) {
    if (name == "script" || name == "scripted_upsert") return not_supported("[script] in an update");
    if (name != "doc" && name != "upsert" && name != "doc_as_upsert" && name != "detect_noop" && name != "_source")
      return ApiError{.type = "x_content_parse_exception",
                      .reason = "[1:2] [UpdateRequest] unknown field [" + name.substr(0, 200) + "]"};
  }
  const Ordered asked = Ordered::parse(request, nullptr, /*allow_exceptions=*/false);
  const bool has_doc = asked.contains("doc") && asked["doc"].is_object();
  const bool as_upsert = asked.value("doc_as_upsert", Ordered(false)) == Ordered(true);
  if (now == nullptr) {
    if (has_doc && asked.contains("upsert") && asked["upsert"].is_object())
      return std::optional(text_of(asked["upsert"]));
    if (as_upsert && has_doc) return std::optional(text_of(asked["doc"]));
    return has_doc ? document_missing(index, id) : validation_failed("script or doc is missing");
  }
  if (!has_doc) return validation_failed("script or doc is missing");
  const Ordered before = Ordered::parse(*now, nullptr, /*allow_exceptions=*/false);
  if (!before.is_object()) return unavailable("the stored source is no object");
  Ordered after = before;
  merge(after, asked["doc"]);
  const bool detects = asked.value("detect_noop", Ordered(true)) != Ordered(false);
  if (detects && Json(after) == Json(before)) return std::optional<std::string>();
  return std::optional(text_of(after));
}

}  // namespace frond::broker::elasticsearch
