// Documents: written, read, changed, removed, one by one and many in a request.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "broker/elasticsearch/documents/bulk.h"
#include "broker/elasticsearch/documents/document_writes.h"
#include "broker/elasticsearch/hits/hit_json.h"
#include "broker/elasticsearch/routes.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {
using frond::http::Access;
using frond::http::Responder;
using frond::http::Response;
using Kind = DocumentChange::Kind;

constexpr std::size_t kMaxDocuments = 10'000;        // of an _mget
constexpr std::size_t kMaxDocumentBytes = 16 << 20;  // of its answer

// What the parameters of a change of one document ask for.
Expected<DocumentChange> change_of(const Call& call, Kind kind) {
  DocumentChange change{.kind = kind, .index = call.path_value("index"), .id = call.path_value("id")};
  Json conditions = Json::object();
  for (const char* name : {"if_seq_no", "if_primary_term", "version", "version_type"})
    if (const auto value = call.parameter(name)) conditions[name] = *value;
  FROND_EXPECT_OK(set_conditions(change, conditions));
  if (const auto op = call.parameter("op_type")) {
    if (*op == "create" && kind == Kind::kIndex) change.kind = Kind::kCreate;
    if (*op != "create" && *op != "index")
      return illegal_argument("opType must be 'create' or 'index', found: [" + std::string(op->substr(0, 100)) + "]");
  }
  change.require_alias = FROND_EXPECT_OK(call.flag("require_alias", false));
  return change;
}

// What is answered when changes are made and, if that was asked for, searched. While that is waited for, only this is
// kept.
struct Written {
  int status = 200;
  std::string head;  // of the body; with Refresh::kNow it says so of each change
  std::string tail;  // of the body
  Refresh refresh = Refresh::kNo;
  std::set<std::string> changed;                                 // indices
  std::optional<std::chrono::steady_clock::time_point> begun{};  // of a body that ends with "took"
};

// `body` without what it says of refreshes, which some index did not have. Strings have no such quotation marks.
std::string without_refreshes(std::string_view body) {
  std::string made;
  for (std::size_t at = 0; at != body.npos;) {
    const std::size_t said = body.find(kForcedRefresh, at);
    made += body.substr(at, said - at);
    at = said == body.npos ? said : said + kForcedRefresh.size();
  }
  return made;
}

// Serves a request that changes documents. It waits for a refresh without a thread.
template <Expected<Written> (*write)(const Targets&, const Call&)>
void writing(const Targets& to, Call&& call, Responder responder) {
  hand_over(to, std::move(call), std::move(responder), [](const Targets& at, const Call& asked, Responder answer) {
    auto written = [&]() -> Expected<Written> {
      try {
        return write(at, asked);
      } catch (const std::exception& thrown) {
        return internal_error(thrown);
      }
    }();
    if (!written) return answer.send(response_of(written.error()));
    struct Held {
      Written written;
      Responder responder;
    };
    const auto held = std::make_shared<Held>(Held{*std::move(written), std::move(answer)});
    const bool refreshes = held->written.refresh != Refresh::kNo;
    Refreshes::wait(at, refreshes ? held->written.changed : std::set<std::string>(), [held](const auto& outcomes) {
      auto& [status, head, tail, refresh, changed, begun] = held->written;
      // What was accepted stays so where it can't be refreshed.
      if (!std::ranges::all_of(outcomes, [](const auto& one) { return static_cast<bool>(one.second); }))
        head = without_refreshes(head);
      if (begun) {
        const auto took = std::chrono::steady_clock::now() - *begun;
        tail += std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()) + "}";
      }
      head += tail;
      held->responder.send(Response{.status = status, .body = std::move(head)});
    });
  });
}

Expected<Written> change_one(const Targets& to, const Call& call, DocumentChange change) {
  const Refresh refresh = FROND_EXPECT_OK(refresh_of(call));
  const bool shows = change.kind == Kind::kUpdate && call.parameter("_source");
  auto results = change_documents(to, {std::move(change)});
  if (results.front().error) return *results.front().error;
  const DocumentResult& result = results.front();
  std::string get;
  if (shows) {
    const auto read = FROND_EXPECT_OK(read_documents(to, result.index, {result.id}));
    const ShownSource filter = source_filter_in(call.parameters);
    get = ",\"get\":{\"_seq_no\":" + std::to_string(result.seq_no) + ",\"_primary_term\":1,\"found\":true";
    if (filter.shown && !read.front().source.empty())
      get += ",\"_source\":" + filtered_source(read.front().source, filter);
    get += "}";
  }
  std::string head = result_text(result, refresh == Refresh::kNow);
  head.pop_back();
  return Written{result.status(), std::move(head), get + "}", refresh, changed_indices(results)};
}

template <Kind kind>
Expected<Written> write_document(const Targets& to, const Call& call) {
  auto change = FROND_EXPECT_OK(change_of(call, kind));
  if (call.request.body.empty()) return parse_exception("request body is required");
  change.source = call.request.body;
  return change_one(to, call, std::move(change));
}
Expected<Written> delete_document(const Targets& to, const Call& call) {
  return change_one(to, call, FROND_EXPECT_OK(change_of(call, Kind::kDelete)));
}

std::string document_json(const std::string& index, const std::string& id, const FoundDocument& document,
                          const ShownSource& filter) {
  Json json = {{"_index", index}, {"_id", id}, {"found", document.found}};
  if (!document.found) return dumped(json);
  json["_version"] = document.version;
  json["_primary_term"] = 1;
  if (document.seq_no) json["_seq_no"] = *document.seq_no;
  std::string text = dumped(json);
  // As it was given: it is not read and written again.
  if (filter.shown && !document.source.empty())
    text.replace(text.size() - 1, 1, ",\"_source\":" + filtered_source(document.source, filter) + "}");
  return text;
}

// Fields of their own, which no document has, are shown in place of it.
ShownSource shown_source(const Call& call) {
  ShownSource source = source_filter_in(call.parameters);
  if (call.parameter("stored_fields") && !call.parameter("_source")) source.shown = false;
  return source;
}

Expected<Response> get_document(const Targets& to, const Call& call) {
  const std::string id = call.path_value("id");
  const std::string index = FROND_EXPECT_OK(one_index(to, call.path_value("index")));
  Json asked = Json::object();
  if (const auto type = call.parameter("version_type");
      type && !is_listed("internal,external,external_gte,external_gt,force", *type))
    return illegal_argument("No version type match [" + std::string(type->substr(0, 100)) + "]");
  if (const auto version = call.parameter("version")) asked["version"] = *version;
  const auto wanted = FROND_EXPECT_OK(condition_in(asked, "version"));
  const auto read = FROND_EXPECT_OK(read_documents(to, index, {id}));
  if (wanted && read.front().found && read.front().version != *wanted)
    return version_conflict(id, "current version [" + std::to_string(read.front().version) +
                                    "] is different than the one provided [" + std::to_string(*wanted) + "]");
  return Response{.status = read.front().found ? 200 : 404,
                  .body = document_json(index, id, read.front(), shown_source(call))};
}

Expected<Response> get_source(const Targets& to, const Call& call) {
  const std::string id = call.path_value("id");
  const std::string index = FROND_EXPECT_OK(one_index(to, call.path_value("index")));
  if (!source_filter_in(call.parameters).shown || call.parameter("_source") == "false")
    return validation_failed("fetching source can not be disabled");
  const auto read = FROND_EXPECT_OK(read_documents(to, index, {id}));
  if (!read.front().found || read.front().source.empty())
    return ApiError{
        .status = 404,
        .type = "resource_not_found_exception",
        .reason = (read.front().found ? "Source not found [" : "Document not found [") + index + "]/[" + id + "]"};
  return Response{.body = filtered_source(read.front().source, source_filter_in(call.parameters))};
}

// One document that an _mget asks for.
struct Wanted {
  std::string index, id;
  ShownSource filter;
};

Expected<std::vector<Wanted>> wanted_documents(const Call& call) {
  const Json body = FROND_EXPECT_OK(parse_object(call.request.body));
  const std::string index = call.path_value("index");
  const ShownSource filter = source_filter_in(call.parameters);
  std::vector<Wanted> wanted;
  const auto add = [&](const Json& document) -> Expected<void> {
    const auto place = std::to_string(wanted.size());
    if (document.is_array() || document.is_null())
      return parsing_exception("unexpected token in the list of documents");
    Wanted one{.index = index, .id = document.is_object() ? "" : text_in(document), .filter = filter};
    if (document.is_object()) {
      for (const auto& [key, value] : document.items())
        if (!is_listed("_index,_id,_source,routing,version,version_type,stored_fields", key))
          return parsing_exception("failed to parse multi get request. unknown field [" + key.substr(0, 100) + "]");
      if (document.contains("stored_fields") && !document.contains("_source")) one.filter.shown = false;
      const Json named = document.value("_index", Json(index));
      if (!named.is_string()) return parsing_exception("[_index] of doc " + place + " is no text");
      one.index = named.get<std::string>();
      const Json id = document.value("_id", Json());
      one.id = id.is_string() ? id.get<std::string>() : id.is_null() ? "" : id.dump();
      if (document.contains("_source")) one.filter = FROND_EXPECT_OK(source_filter_in(document["_source"]));
    }
    if (one.index.empty()) return validation_failed("index is missing for doc " + place);
    if (one.id.empty()) return validation_failed("id is missing for doc " + place);
    wanted.push_back(std::move(one));
    return {};
  };
  for (const auto& [name, value] : body.items())
    if (name != "docs" && name != "ids")
      return parsing_exception("unknown key [" + name.substr(0, 100) + "] for a multi get request");
  for (const char* name : {"docs", "ids"}) {
    const Json list = body.value(name, Json::array());
    if (!list.is_array()) return parsing_exception("[" + std::string(name) + "] is no list");
    for (const Json& one : list) FROND_EXPECT_OK(add(one));
  }
  if (wanted.empty()) return validation_failed("no documents to get");
  if (wanted.size() > kMaxDocuments)
    return validation_failed("more than " + std::to_string(kMaxDocuments) + " documents to get");
  return wanted;
}

Expected<Response> get_documents(const Targets& to, const Call& call) {
  const auto wanted = FROND_EXPECT_OK(wanted_documents(call));
  std::vector<std::string> answers(wanted.size());
  std::map<std::string, std::vector<std::size_t>> by_index;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto index = one_index(to, wanted[i].index);
    if (index)
      by_index[*index].push_back(i);
    else
      answers[i] =
          dumped({{"_index", wanted[i].index}, {"_id", wanted[i].id}, {"error", error_json(index.error())["error"]}});
  }
  std::size_t bytes = 0;
  for (const auto& [index, places] : by_index) {
    std::vector<std::string> ids;
    for (const std::size_t place : places) ids.push_back(wanted[place].id);
    const auto read = FROND_EXPECT_OK(read_documents(to, index, ids));
    for (std::size_t i = 0; i < places.size(); ++i) {
      answers[places[i]] = document_json(index, ids[i], read[i], wanted[places[i]].filter);
      bytes += answers[places[i]].size();
      if (bytes > kMaxDocumentBytes)
        return ApiError{
            .status = 413,
            .type = "content_too_long_exception",
            .reason = "the documents have more than " + std::to_string(kMaxDocumentBytes) + " bytes in all"};
    }
  }
  std::string body = "{\"docs\":[";
  for (std::size_t i = 0; i < answers.size(); ++i) body += (i == 0 ? "" : ",") + answers[i];
  return Response{.body = body + "]}"};
}

// Up to the last item.
std::string bulk_answer(const std::vector<DocumentResult>& results, const std::vector<Kind>& kinds, bool refreshed) {
  const bool errors = std::ranges::any_of(results, [](const auto& one) { return one.error.has_value(); });
  constexpr std::size_t kUsual = 220;  // bytes of an item
  std::string body;
  body.reserve(kUsual * results.size());
  body.append("{\"errors\":").append(errors ? "true" : "false").append(",\"items\":[");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const DocumentResult& result = results[i];
    body.append(i == 0 ? "{\"" : ",{\"").append(name_of(kinds[i])).append("\":");
    if (result.error)
      body += dumped({{"_index", result.index},
                      {"_id", result.id.empty() ? Json() : Json(result.id)},
                      {"error", cause_json(*result.error)}});
    else
      body += result_text(result, refreshed);
    body.pop_back();
    body.append(",\"status\":").append(std::to_string(result.status())).append("}}");
  }
  return body;
}

Expected<Written> bulk(const Targets& to, const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  const Refresh refresh = FROND_EXPECT_OK(refresh_of(call));
  const bool require_alias = FROND_EXPECT_OK(call.flag("require_alias", false));
  const std::string index = call.path_value("index");
  if (to.catalogue.refusal(index) && !to.catalogue.now()->contains(index)) return missing_index(to, index);
  auto items = FROND_EXPECT_OK(parse_bulk(call.request.body, index, require_alias));
  std::vector<Kind> kinds;
  std::vector<DocumentChange> changes;
  std::vector<std::size_t> places;  // of the changes among the items
  kinds.reserve(items.size());
  changes.reserve(items.size());
  places.reserve(items.size());
  std::vector<DocumentResult> results(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    DocumentChange& change = items[i].change;
    kinds.push_back(change.kind);
    if (items[i].wrong) {
      results[i] = {.index = change.index, .id = change.id, .error = std::move(items[i].wrong)};
      continue;
    }
    places.push_back(i);
    changes.push_back(std::move(change));
  }
  auto changed = change_documents(to, std::move(changes));
  for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(changed[i]);
  return Written{
      200,  bulk_answer(results, kinds, refresh == Refresh::kNow), "],\"took\":", refresh, changed_indices(results),
      begin};
}

constexpr std::string_view kWrite =
    "refresh,routing,timeout,version,version_type,if_seq_no,if_primary_term,op_type,pipeline,wait_for_active_shards,"
    "require_alias,retry_on_conflict,lang,_source,_source_includes,_source_excludes";
constexpr std::string_view kRead =
    "preference,realtime,refresh,routing,stored_fields,version,version_type,_source,_source_includes,_source_excludes";
constexpr std::string_view kReadSource =
    "preference,realtime,refresh,routing,_source,_source_includes,_source_excludes";
constexpr std::string_view kBulk =
    "refresh,routing,timeout,pipeline,wait_for_active_shards,require_alias,_source,_source_includes,_source_excludes";

constexpr Route kDocumentRoutes[] = {
    {"POST,PUT", "[/{index}]/_bulk", Access::kWrite, kMaxBulkBody, kBulk, writing<bulk>},
    {"POST,GET", "[/{index}]/_mget", Access::kSearch, kMaxBody, kRead, waiting<get_documents>},
    {"POST", "/{index}/_doc", Access::kWrite, kMaxBulkBody, kWrite, writing<write_document<Kind::kIndex>>},
    {"GET", "/{index}/_doc/{id}", Access::kSearch, 0, kRead, waiting<get_document>},
    {"PUT,POST", "/{index}/_doc/{id}", Access::kWrite, kMaxBulkBody, kWrite, writing<write_document<Kind::kIndex>>},
    {"DELETE", "/{index}/_doc/{id}", Access::kWrite, 0, kWrite, writing<delete_document>},
    {"PUT,POST", "/{index}/_create/{id}", Access::kWrite, kMaxBulkBody, kWrite, writing<write_document<Kind::kCreate>>},
    {"POST", "/{index}/_update/{id}", Access::kWrite, kMaxBulkBody, kWrite, writing<write_document<Kind::kUpdate>>},
    {"GET", "/{index}/_source/{id}", Access::kSearch, 0, kReadSource, waiting<get_source>},
};

}  // namespace

Expected<std::string> one_index(const Targets& to, const std::string& name) {
  const auto indices = to.catalogue.now();
  const auto meant = FROND_EXPECT_OK(resolve(*indices, name));
  if (meant.empty() || name.find_first_of(",*") != name.npos || name == "_all") return index_not_found(name);
  if (meant.size() == 1) return meant.front().index->name;
  return illegal_argument("alias [" + name +
                          "] has more than one index associated with it, can't execute a single index op");
}

std::span<const Route> write_routes() { return kDocumentRoutes; }

}  // namespace frond::broker::elasticsearch
