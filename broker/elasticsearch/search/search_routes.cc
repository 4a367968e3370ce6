// Routes that search: _search, _count, _msearch, _validate/query, _explain, _field_caps, _analyze.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "broker/elasticsearch/hits/window_order.h"
#include "broker/elasticsearch/indices/index_admin.h"
#include "broker/elasticsearch/queries/range_ends.h"
#include "broker/elasticsearch/routes.h"
#include "broker/elasticsearch/search/retriever.h"
#include "broker/elasticsearch/search/search_targets.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

using frond::http::Responder;

// Runs a search for a request, and gives up if its client leaves.
template <class Answer>
void answer_search(SearchedTargets targets, SharedAsk ask, Responder responder, Answer answer) {
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const Abandon abandon = run_search(std::move(targets), std::move(ask),
                                     [shared, answer = std::move(answer)](Expected<Gathered> gathered) mutable {
                                       shared->send(gathered ? answer(*gathered) : response_of(gathered.error()));
                                     });
  if (abandon) shared->on_client_gone(abandon);
}

// What no index could read. Nothing is known of fields.
Expected<void> check_readable(const SearchAsk& ask) {
  static const auto kNoFields = std::make_shared<const Mapping>();
  SearchAsk query;
  query.query = ask.query;
  query.aggregations = ask.aggregations;
  query.size = 0;
  Statistics statistics([](const auto&) { return std::nullopt; });
  auto read = parameters_of(query, SearchedIndex{"", kNoFields}, analyzer_of(kNoFields->analyzer), statistics, now_ms(),
                            /*several=*/false);
  if (read || read.error().status != 400 || read.error().type == "query_shard_exception") return {};
  return std::move(read).error();
}

// The indices of a request that is read by now: it is refused for what it says before it is for what it names.
Expected<SearchedTargets> targets_of(const Targets& to, const Call& call, const SearchAsk& ask) {
  auto targets = targets_of(to, call);
  if (!targets || targets->meant.empty()) FROND_EXPECT_OK(check_readable(ask));
  return targets;
}

Expected<AskedSearch> asked_search(const Targets& to, const Call& call, Json body) {
  if (call.parameter("q") && body.contains("query")) {  // which does not count, and is read all the same
    SearchAsk other;
    other.query = body["query"];
    FROND_EXPECT_OK(check_readable(other));
  }
  SearchAsk ask = FROND_EXPECT_OK(read_search(std::move(body), call.parameters));
  auto targets = FROND_EXPECT_OK(targets_of(to, call, ask));
  return AskedSearch{std::move(targets), std::move(ask)};
}

// A search that has a retriever.
void serve_retriever(const Targets& to, const Call& call, Json body, Responder responder) {
  auto targets = targets_of(to, call);
  if (!targets) return responder.send(response_of(targets.error()));
  auto ask = read_retriever(body, call.parameters);
  if (!ask) return responder.send(response_of(ask.error()));
  if (call.request.permit) call.request.permit->charge(ask->rankings.size());
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const auto done = [shared, all = ask->all, begun = Clock::now()](Expected<Gathered> gathered) {
    if (!gathered) return shared->send(response_of(gathered.error()));
    shared->send({.body = search_json(*gathered, all, ms_since(begun))});
  };
  if (const Abandon abandon = run_fused(*std::move(targets), *std::move(ask), done)) shared->on_client_gone(abandon);
}

void serve_search(const Targets& to, Call&& call, Responder responder) {
  const auto begun = Clock::now();
  auto body = parse_with_queries(call.request.body);
  if (!body) return responder.send(response_of(body.error()));
  if (body->contains("retriever")) return serve_retriever(to, call, *body, std::move(responder));
  SearchPlace place;
  const bool of_point = body->contains("pit");
  const auto scroll = call.parameter("scroll");
  Json given = scroll ? *body : *std::move(body);
  auto asked = of_point ? asked_point(to, call, std::move(given), place) : asked_search(to, call, std::move(given));
  if (!asked) return responder.send(response_of(asked.error()));
  if (scroll) {
    const auto ms = keep_alive(*scroll, "scroll");
    const auto fits = check_scroll(asked->ask);
    if (!ms || !fits || of_point)
      return responder.send(response_of(!ms     ? ms.error()
                                        : !fits ? fits.error()
                                                : validation_failed("using [point in time] is not allowed in a scroll "
                                                                    "context")));
    place = {.number = new_place_number(),
             .ends_ms = now_ms() + *ms,
             .expression = call.path_value("index"),
             .body = *body,
             .parameters = call.parameters,
             .now_ms = now_ms()};
    asked->ask.scrolls = true;
    asked->ask.now_ms = place.now_ms;
    return send_scrolled(std::move(asked->targets), std::move(asked->ask), std::move(place), begun,
                         std::move(responder));
  }
  const auto ask = std::make_shared<const SearchAsk>(std::move(asked->ask));
  answer_search(std::move(asked->targets), ask, std::move(responder),
                [ask, begun, of_point, place = std::move(place)](Gathered& gathered) mutable {
                  if (of_point) {
                    // It begins with its first page: the next ones are of the generations of that.
                    if (!ask->search_after) place.generations = gathered.generations;
                    gathered.cursor_name = "pit_id";
                    gathered.cursor = place_text(place);
                  }
                  frond::http::Response response;
                  response.body = search_json(gathered, *ask, ms_since(begun));
                  return response;
                });
}

// A query stands in the body or in the address.
Expected<void> check_one_query(const Call& call) {
  const Parameters parameters = query_parameters(call);
  if (parameters.empty() || call.request.body.empty()) return {};
  return illegal_argument("request [" + call.request.path.substr(0, 200) + "] contains unrecognized parameter: [" +
                          parameters.front().first + "]");
}

// The query alone of a body, of what takes nothing else.
Expected<SearchAsk> asked_query(const Call& call, bool required) {
  if (call.parameter("min_score")) return not_supported("[min_score] of a count");
  const Json body = FROND_EXPECT_OK(parse_with_queries(call.request.body));
  for (const auto& [key, value] : body.items())
    if (key != "query") return parsing_exception("request does not support [" + key + "]");
  FROND_EXPECT_OK(check_one_query(call));
  const Parameters parameters = query_parameters(call);
  if (required && body.empty() && parameters.empty()) return validation_failed("query is missing");
  return read_search(body, parameters);
}

void serve_count(const Targets& to, Call&& call, Responder responder) {
  auto ask = asked_query(call, false);
  if (!ask) return responder.send(response_of(ask.error()));
  auto targets = targets_of(to, call, *ask);
  if (!targets) return responder.send(response_of(targets.error()));
  ask->size = 0;
  answer_search(*std::move(targets), std::make_shared<const SearchAsk>(*std::move(ask)), std::move(responder),
                [](const Gathered& gathered) {
                  return json_response({{"count", gathered.total}, {"_shards", shards_json(gathered)}});
                });
}

// Of a query that some of these indices can't read: why, by index.
frond::http::Response read_in(const std::vector<std::string>& indices, const std::map<std::string, std::string>& errors,
                              bool explains) {
  Json json = {{"_shards", {{"total", indices.size()}, {"successful", indices.size()}, {"failed", 0}}},
               {"valid", errors.empty()}};
  for (const std::string& index : indices) {
    if (!explains) break;
    const auto error = errors.find(index);
    Json one = {{"index", index}, {"valid", error == errors.end()}};
    if (error != errors.end()) one["error"] = error->second;
    json["explanations"].push_back(std::move(one));
  }
  return json_response(json);
}

void serve_validate(const Targets& to, Call&& call, Responder responder) {
  const bool explains =
      call.parameter("explain").value_or("false") != "false" || call.parameter("rewrite").value_or("false") != "false";
  if (const auto one = check_one_query(call); !one) return responder.send(response_of(one.error()));
  auto ask = asked_query(call, false);
  const auto readable = ask ? check_readable(*ask) : Expected<void>(ask.error());
  if (!readable && readable.error().status == 501) return responder.send(response_of(readable.error()));
  if (!readable) {
    Json unread = {{"valid", false}};
    if (call.parameter("explain").value_or("false") != "false")
      unread["error"] = "ParsingException[" + readable.error().reason + "]";
    return responder.send(json_response(unread));
  }
  if (ask->query.is_null() && !call.request.body.empty())
    return responder.send(response_of(validation_failed("query cannot be null")));
  auto targets = targets_of(to, call);
  if (!targets) return responder.send(response_of(targets.error()));
  if (targets->meant.empty()) return responder.send(response_of(index_not_found(call.path_value("index"))));
  ask->size = 0;
  std::vector<std::string> indices;
  for (const Meant& one : targets->meant) indices.push_back(one.index->name);
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const Abandon abandon =
      run_search(*std::move(targets), std::make_shared<const SearchAsk>(*std::move(ask)),
                 [shared, indices = std::move(indices), explains](const Expected<Gathered>& gathered) {
                   std::map<std::string, std::string> errors;
                   if (!gathered && gathered.error().status != 400) return shared->send(response_of(gathered.error()));
                   if (!gathered)
                     for (const std::string& index : indices) errors[index] = gathered.error().reason;
                   else
                     for (const auto& [index, error] : gathered->unfit) errors[index] = error.reason;
                   shared->send(read_in(indices, errors, explains));
                 });
  if (abandon) shared->on_client_gone(abandon);
}

void serve_explain(const Targets& to, Call&& call, Responder responder) {
  const std::string id = call.path_value("id"), index = call.path_value("index");
  auto ask = asked_query(call, true);
  if (!ask) return responder.send(response_of(ask.error()));
  if (auto one = one_index(to, index); !one) return responder.send(response_of(one.error()));
  auto targets = targets_of(to, call, *ask);
  if (!targets) return responder.send(response_of(targets.error()));
  ask->post_filter = {{"ids", {{"values", {id}}}}};
  ask->size = 1;
  ask->source.shown = false;
  const auto said = [id, index](const Gathered& gathered, bool there) {
    const bool matched = !gathered.hits.empty();
    Json json = {{"_index", gathered.indices.empty() ? index : gathered.indices.front().searched.name},
                 {"_id", id},
                 {"matched", matched}};
    if (matched)
      json["explanation"] = {{"value", Json::parse(score_text(gathered.hits.front().score.value_or(0)))},
                             {"description", "the sum of what the clauses that match score"},
                             {"details", Json::array()}};
    return json_response(json, there ? 200 : 404);
  };
  const auto any = std::make_shared<SearchAsk>();  // whether there is such a document at all
  any->query = ask->post_filter;
  any->size = 0;
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const auto running = std::make_shared<Abandon>();  // of the two searches, one after the other
  const auto look = [shared, said, any, running, targets = *targets] {
    Abandon abandon = run_search(targets, any, [shared, said](Expected<Gathered> all) {
      shared->send(all ? said(*all, all->total > 0) : response_of(all.error()));
    });
    if (abandon) *running = std::move(abandon);
  };
  Abandon abandon = run_search(*std::move(targets), std::make_shared<const SearchAsk>(*std::move(ask)),
                               [shared, said, look](Expected<Gathered> found) {
                                 if (!found) return shared->send(response_of(found.error()));
                                 found->hits.empty() ? look() : shared->send(said(*found, true));
                               });
  if (abandon) *running = std::move(abandon);  // null: it is over, and the other one may have begun
  if (*running) shared->on_client_gone([running] { (*running)(); });
}

constexpr std::string_view kQueryParameters =
    "q,df,default_operator,analyzer,analyze_wildcard,lenient,ignore_unavailable,allow_no_indices,expand_wildcards,"
    "ignore_throttled,min_score,preference,routing,terminate_after,explain,rewrite,all_shards,_source,_source_includes,"
    "_source_excludes,stored_fields";

constexpr auto kSearching = frond::http::Access::kSearch;
constexpr Route kRoutes[] = {
    {"GET,POST", "[/{index}]/_search", kSearching, kMaxBody, kSearchParameters, serve_search},
    {"GET,POST", "[/{index}]/_count", kSearching, kMaxBody, kQueryParameters, serve_count},
    {"GET,POST", "[/{index}]/_validate/query", kSearching, kMaxBody, kQueryParameters, serve_validate},
    {"GET,POST", "/{index}/_explain/{id}", kSearching, kMaxBody, kQueryParameters, serve_explain},
};

}  // namespace

Parameters query_parameters(const Call& call) {
  Parameters parameters;
  for (const auto& [name, value] : call.parameters)
    for (const char* const of_query : {"q", "df", "default_operator", "analyzer", "lenient", "analyze_wildcard"})
      if (name == of_query) parameters.emplace_back(name, value);
  return parameters;
}

Expected<SearchedTargets> targets_of(const Targets& to, std::string_view expression, const ExpressionRules& rules,
                                     const frond::http::Asker& asker) {
  SearchedTargets targets{.indices = to.catalogue.now(), .meant = {}, .collections = to.collections, .asker = asker};
  auto meant = resolve(*targets.indices, expression, rules);
  if (!meant && to.catalogue.refusal(expression)) return missing_index(to, expression);
  targets.meant = FROND_EXPECT_OK(std::move(meant));
  return targets;
}
Expected<SearchedTargets> targets_of(const Targets& to, const Call& call) {
  return targets_of(to, call.path_value("index"), FROND_EXPECT_OK(call.expression_rules()), call.request.asker());
}

std::span<const Route> search_routes() { return kRoutes; }

}  // namespace frond::broker::elasticsearch
