#include "common/elasticsearch/error.h"

#include "common/elasticsearch/json_body.h"

namespace frond::elasticsearch {
namespace {

std::string_view type_of(int status) {
  switch (status) {
    case 401:
    case 403:
      return "security_exception";
    case 404:
      return "resource_not_found_exception";
    case 409:
      return "version_conflict_engine_exception";
    case 413:
      return "content_too_long_exception";
    case 415:
      return "media_type_header_exception";
    case 429:
      return "es_rejected_execution_exception";
    case 503:
    case 504:
      return "unavailable_shards_exception";
    default:
      return status < 500 ? "illegal_argument_exception" : "exception";
  }
}

}  // namespace

Json cause_json(const ApiError& error) {
  Json json = {{"type", error.type}, {"reason", error.reason}};
  json.update(error.details);
  if (!error.cause.is_null()) json["caused_by"] = error.cause;
  return json;
}

int shown_status(const ApiError& error) { return error.status == 501 ? 400 : error.status; }

Json error_json(const ApiError& error) {
  Json root = {{"type", error.root_type.empty() ? error.type : error.root_type}, {"reason", error.reason}};
  root.update(error.details);
  Json whole = cause_json(error);
  whole["root_cause"] = Json::array({std::move(root)});
  return {{"error", std::move(whole)}, {"status", shown_status(error)}};
}

frond::http::Response response_of(const ApiError& error) {
  frond::http::Response response{.status = shown_status(error), .body = dumped(error_json(error))};
  if (error.status == 429 || error.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

frond::http::Response answer_of(Expected<frond::http::Response> made) {
  return made ? *std::move(made) : response_of(made.error());
}

ApiError error_of(const frond::http::Response& problem, std::string_view what) {
  const Json said = Json::parse(problem.body, nullptr, /*allow_exceptions=*/false);
  std::string reason(what);
  if (said.is_object() && said.contains("detail") && said["detail"].is_string())
    reason += said["detail"].get<std::string>();
  return {.status = problem.status, .type = std::string(type_of(problem.status)), .reason = std::move(reason)};
}

frond::http::Response reshaped(frond::http::Response problem) {
  ApiError error = error_of(problem);
  if (problem.status == 404)
    error = {.status = 400, .type = "illegal_argument_exception", .reason = "no handler found: " + error.reason};
  frond::http::Response response = response_of(error);
  response.headers = std::move(problem.headers);
  return response;
}

ApiError illegal_argument(std::string reason) {
  return {.type = "illegal_argument_exception", .reason = std::move(reason)};
}
ApiError parsing_exception(std::string reason) { return {.type = "parsing_exception", .reason = std::move(reason)}; }
ApiError parse_exception(std::string reason) { return {.type = "parse_exception", .reason = std::move(reason)}; }
ApiError validation_failed(std::string_view reason) {
  return {.type = "action_request_validation_exception",
          .reason = "Validation Failed: 1: " + std::string(reason) + ";"};
}
ApiError index_not_found(std::string_view index) {
  return {.status = 404,
          .type = "index_not_found_exception",
          .reason = "no such index [" + std::string(index) + "]",
          .details = {
              {"index", index}, {"index_uuid", "_na_"}, {"resource.type", "index_or_alias"}, {"resource.id", index}}};
}
ApiError index_exists(std::string_view index, std::string_view uuid) {
  return {.type = "resource_already_exists_exception",
          .reason = "index [" + std::string(index) + "/" + std::string(uuid) + "] already exists",
          .details = {{"index", index}, {"index_uuid", uuid}}};
}
ApiError document_missing(std::string_view index, std::string_view id) {
  return {.status = 404,
          .type = "document_missing_exception",
          .reason = "[" + std::string(id) + "]: document missing",
          .details = {{"index", index}, {"shard", "0"}}};
}
ApiError version_conflict(std::string_view id, std::string_view reason) {
  return {.status = 409,
          .type = "version_conflict_engine_exception",
          .reason = "[" + std::string(id) + "]: version conflict, " + std::string(reason)};
}
ApiError not_supported(std::string_view what) {
  return {.status = 501, .type = "illegal_argument_exception", .reason = std::string(what) + " is not supported"};
}
ApiError rejected(std::string reason) {
  return {.status = 429, .type = "es_rejected_execution_exception", .reason = std::move(reason)};
}
ApiError unavailable(std::string reason) {
  return {.status = 503, .type = "unavailable_shards_exception", .reason = std::move(reason)};
}

}  // namespace frond::elasticsearch
