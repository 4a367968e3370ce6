// Routes that search: _search, _count, _msearch, _validate/query, _explain, _field_caps, _analyze.
#include <chrono>
#include <memory>

#include "broker/elasticsearch/json_body.h"
#include "broker/elasticsearch/retriever.h"
#include "broker/elasticsearch/routes.h"
#include "broker/elasticsearch/search_targets.h"

namespace frond::broker::elasticsearch {
namespace {

using frond::http::Responder;

// Runs a search for a request, and gives up if its client leaves.
template <class Answer>
void answer_search(SearchedTargets targets, SearchAsk ask, Responder responder, Answer answer) {
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const Abandon abandon =
      run_search(std::move(targets), std::move(ask), [shared, answer = std::move(answer)](Expected<Gathered> gathered) {
        shared->send(gathered ? answer(*gathered) : refusal_of(gathered.error()));
      });
  if (abandon) shared->on_client_gone(abandon);
}

Expected<AskedSearch> asked_search(const Targets& to, const Call& call) {
  auto targets = FROND_EXPECT_OK(targets_of(to, call));
  const Json body = FROND_EXPECT_OK(parse_object(call.request.body));
  return AskedSearch{std::move(targets), FROND_EXPECT_OK(read_search(body, call.parameters))};
}

// A search that has a retriever.
void serve_retriever(const Targets& to, const Call& call, Json body, Responder responder) {
  auto targets = targets_of(to, call);
  if (!targets) return responder.send(refusal_of(targets.error()));
  auto ask = read_retriever(body, call.parameters);
  if (!ask) return responder.send(refusal_of(ask.error()));
  if (call.request.permit) call.request.permit->charge(ask->rankings.size());
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const auto done = [shared, all = ask->all, begun = Clock::now()](Expected<Gathered> gathered) {
    if (!gathered) return shared->send(refusal_of(gathered.error()));
    shared->send({.body = search_json(*gathered, all, ms_since(begun))});
  };
  if (const Abandon abandon = run_fused(*std::move(targets), *std::move(ask), done)) shared->on_client_gone(abandon);
}

void serve_search(const Targets& to, Call&& call, Responder responder) {
  const auto begun = Clock::now();
  if (call.request.body.find("\"retriever\"") != std::string::npos)
    if (auto body = parse_object(call.request.body); body && body->contains("retriever"))
      return serve_retriever(to, call, *std::move(body), std::move(responder));
  auto asked = asked_search(to, call);
  if (!asked) return responder.send(refusal_of(asked.error()));
  const SearchAsk ask = asked->ask;
  answer_search(std::move(asked->targets), ask, std::move(responder), [ask, begun](const Gathered& gathered) {
    frond::http::Response response;
    response.body = search_json(gathered, ask, ms_since(begun));
    return response;
  });
}

// The query alone of a body, of what takes nothing else.
Expected<SearchAsk> asked_query(const Call& call, bool required) {
  if (call.parameter("min_score")) return not_supported("[min_score]");
  const Json body = FROND_EXPECT_OK(parse_object(call.request.body));
  for (const auto& [key, value] : body.items())
    if (key != "query") return parsing_exception("request does not support [" + key + "]");
  Parameters parameters;
  for (const auto& [name, value] : call.parameters)
    if (name == "q" || name == "df" || name == "default_operator" || name == "analyzer" || name == "lenient" ||
        name == "analyze_wildcard")
      parameters.emplace_back(name, value);
  if (required && body.empty() && parameters.empty()) return validation_failed("query is missing");
  return read_search(body, parameters);
}

void serve_count(const Targets& to, Call&& call, Responder responder) {
  auto targets = targets_of(to, call);
  if (!targets) return responder.send(refusal_of(targets.error()));
  auto ask = asked_query(call, false);
  if (!ask) return responder.send(refusal_of(ask.error()));
  ask->size = 0;
  answer_search(*std::move(targets), *ask, std::move(responder), [](const Gathered& gathered) {
    return json_response({{"count", gathered.total}, {"_shards", shards_json(gathered)}});
  });
}

void serve_validate(const Targets& to, Call&& call, Responder responder) {
  auto targets = targets_of(to, call);
  if (!targets) return responder.send(refusal_of(targets.error()));
  const bool explains =
      call.parameter("explain").value_or("false") != "false" || call.parameter("rewrite").value_or("false") != "false";
  std::string index = targets->meant.empty() ? "" : targets->meant.front().index->name;
  const auto said = [explains, index](bool valid, const std::string& error) {
    Json json = {{"_shards", {{"total", 1}, {"successful", 1}, {"failed", 0}}}, {"valid", valid}};
    if (explains) {
      Json one = {{"index", index}, {"valid", valid}};
      if (!valid) one["error"] = error;
      json["explanations"] = Json::array({std::move(one)});
    }
    return json_response(json);
  };
  auto ask = asked_query(call, false);
  if (!ask)
    return responder.send(ask.error().status == 501 ? refusal_of(ask.error()) : said(false, ask.error().reason));
  ask->size = 0;
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const Abandon abandon = run_search(*std::move(targets), *ask, [shared, said](Expected<Gathered> gathered) {
    const bool wrong = !gathered && gathered.error().status == 400;
    shared->send(gathered || wrong ? said(!wrong, wrong ? gathered.error().reason : "") : refusal_of(gathered.error()));
  });
  if (abandon) shared->on_client_gone(abandon);
}

void serve_explain(const Targets& to, Call&& call, Responder responder) {
  auto targets = targets_of(to, call);
  if (!targets) return responder.send(refusal_of(targets.error()));
  auto ask = asked_query(call, true);
  if (!ask) return responder.send(refusal_of(ask.error()));
  const std::string id = call.path_value("id"), index = call.path_value("index");
  ask->post_filter = {{"ids", {{"values", {id}}}}};
  ask->size = 1;
  ask->source.shown = false;
  answer_search(*std::move(targets), *ask, std::move(responder), [id, index](const Gathered& gathered) {
    const bool matched = !gathered.hits.empty();
    Json json = {{"_index", gathered.indices.empty() ? index : gathered.indices.front().searched.name},
                 {"_id", id},
                 {"matched", matched}};
    if (matched)
      json["explanation"] = {{"value", Json::parse(score_text(gathered.hits.front().score.value_or(0)))},
                             {"description", "the sum of what the clauses that match score"},
                             {"details", Json::array()}};
    return json_response(json);
  });
}

// Of Elasticsearch, and not of Frond.
void refuse(const Targets&, Call&& call, Responder responder) {
  responder.send(refusal_of(not_supported("[" + call.request.path.substr(0, 200) + "]")));
}

constexpr std::string_view kQueryParameters =
    "q,df,default_operator,analyzer,analyze_wildcard,lenient,ignore_unavailable,allow_no_indices,expand_wildcards,"
    "ignore_throttled,min_score,preference,routing,terminate_after,explain,rewrite,all_shards,_source,_source_includes,"
    "_source_excludes,stored_fields";
constexpr std::string_view kScrollParameters = "scroll,scroll_id,keep_alive,preference,rest_total_hits_as_int";
constexpr std::string_view kChangeParameters =
    "q,refresh,conflicts,slices,wait_for_completion,max_docs,requests_per_second,routing,scroll_size,timeout";

constexpr auto kSearching = frond::http::Access::kSearch;
constexpr Route kRoutes[] = {
    {"GET", "/_search", kSearching, kMaxBody, kSearchParameters, serve_search},
    {"POST", "/_search", kSearching, kMaxBody, kSearchParameters, serve_search},
    {"GET", "/{index}/_search", kSearching, kMaxBody, kSearchParameters, serve_search},
    {"POST", "/{index}/_search", kSearching, kMaxBody, kSearchParameters, serve_search},
    {"GET", "/_count", kSearching, kMaxBody, kQueryParameters, serve_count},
    {"POST", "/_count", kSearching, kMaxBody, kQueryParameters, serve_count},
    {"GET", "/{index}/_count", kSearching, kMaxBody, kQueryParameters, serve_count},
    {"POST", "/{index}/_count", kSearching, kMaxBody, kQueryParameters, serve_count},
    {"GET", "/_validate/query", kSearching, kMaxBody, kQueryParameters, serve_validate},
    {"POST", "/_validate/query", kSearching, kMaxBody, kQueryParameters, serve_validate},
    {"GET", "/{index}/_validate/query", kSearching, kMaxBody, kQueryParameters, serve_validate},
    {"POST", "/{index}/_validate/query", kSearching, kMaxBody, kQueryParameters, serve_validate},
    {"GET", "/{index}/_explain/{id}", kSearching, kMaxBody, kQueryParameters, serve_explain},
    {"POST", "/{index}/_explain/{id}", kSearching, kMaxBody, kQueryParameters, serve_explain},
    {"GET", "/_search/scroll", kSearching, kMaxBody, kScrollParameters, refuse},
    {"POST", "/_search/scroll", kSearching, kMaxBody, kScrollParameters, refuse},
    {"DELETE", "/_search/scroll", kSearching, kMaxBody, kScrollParameters, refuse},
    {"DELETE", "/_search/scroll/{id}", kSearching, kMaxBody, kScrollParameters, refuse},
    {"POST", "/{index}/_search/point_in_time", kSearching, kMaxBody, kScrollParameters, refuse},
    {"DELETE", "/_search/point_in_time", kSearching, kMaxBody, kScrollParameters, refuse},
    {"POST", "/{index}/_pit", kSearching, kMaxBody, kScrollParameters, refuse},
    {"DELETE", "/_pit", kSearching, kMaxBody, kScrollParameters, refuse},
    {"POST", "/_reindex", frond::http::Access::kAdmin, kMaxBody, kChangeParameters, refuse},
    {"POST", "/{index}/_update_by_query", frond::http::Access::kWrite, kMaxBody, kChangeParameters, refuse},
    {"POST", "/{index}/_delete_by_query", frond::http::Access::kWrite, kMaxBody, kChangeParameters, refuse},
};

}  // namespace

frond::http::Response refusal_of(ApiError error) {
  if (error.status == 501) error.status = 400;
  return response_of(error);
}
Json refusal_json(ApiError error) {
  if (error.status == 501) error.status = 400;
  return error_json(error);
}

Expected<SearchedTargets> targets_of(const Targets& to, std::string_view expression, const ExpressionRules& rules,
                                     const frond::http::ClientId& client) {
  SearchedTargets targets{.indices = to.catalogue.now(), .meant = {}, .collections = to.collections, .client = client};
  targets.meant = FROND_EXPECT_OK(resolve(*targets.indices, expression, rules));
  return targets;
}
Expected<SearchedTargets> targets_of(const Targets& to, const Call& call) {
  return targets_of(to, call.path_value("index"), FROND_EXPECT_OK(call.expression_rules()), call.request.client);
}

std::span<const Route> search_routes() { return kRoutes; }

}  // namespace frond::broker::elasticsearch
