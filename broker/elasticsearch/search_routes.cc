// Routes that search: _search, _count, _msearch, _validate/query, _explain, _field_caps, _analyze.
#include <chrono>
#include <memory>

#include "broker/elasticsearch/analyze.h"
#include "broker/elasticsearch/json_body.h"
#include "broker/elasticsearch/routes.h"
#include "broker/elasticsearch/search_job.h"
#include "common/base/lines.h"

namespace frond::broker::elasticsearch {
namespace {

using frond::http::Responder;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxSearches = 1000;         // of one _msearch
constexpr std::size_t kMaxExpressionNames = 1024;  // of one of its lines

std::int64_t ms_since(Clock::time_point begun) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun).count();
}

// What Frond lacks is a bad request to clients of searches: Elasticsearch's own refusals of such bodies are, too.
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

struct AskedSearch {
  SearchedTargets targets;
  SearchAsk ask;
};
Expected<AskedSearch> asked_search(const Targets& to, const Call& call) {
  auto targets = FROND_EXPECT_OK(targets_of(to, call));
  const Json body = FROND_EXPECT_OK(parse_object(call.request.body));
  return AskedSearch{std::move(targets), FROND_EXPECT_OK(read_search(body, call.parameters))};
}

void serve_search(const Targets& to, Call&& call, Responder responder) {
  const auto begun = Clock::now();
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

// Some searches, one after the other.
class ManySearches : public std::enable_shared_from_this<ManySearches> {
 public:
  struct One {
    Expected<AskedSearch> asked;
  };
  ManySearches(std::vector<One> searches, Responder responder)
      : searches_(std::move(searches)), responder_(std::move(responder)), begun_(Clock::now()) {}

  void begin() {
    responder_.on_client_gone([held = weak_from_this()] {
      const auto self = held.lock();
      if (self && self->abandon_) self->abandon_();
    });
    go_on();
  }

 private:
  void go_on() {
    if (std::exchange(going_on_, true)) return;  // answers that come at once are gone on with below
    while (!waits_ && next_ < searches_.size()) {
      One one = std::move(searches_[next_++]);
      if (!one.asked) {
        add(refusal_json(one.asked.error()).dump(-1, ' ', false, Json::error_handler_t::replace));
        continue;
      }
      waits_ = true;
      const SearchAsk ask = one.asked->ask;
      abandon_ =
          run_search(std::move(one.asked->targets), ask,
                     [self = shared_from_this(), ask, begun = Clock::now()](Expected<Gathered> gathered) {
                       self->waits_ = false;
                       if (!gathered) {
                         self->add(refusal_json(gathered.error()).dump(-1, ' ', false, Json::error_handler_t::replace));
                       } else {
                         std::string body = search_json(*gathered, ask, ms_since(begun));
                         body.insert(body.size() - 1, ",\"status\":200");
                         self->add(body);
                       }
                       self->go_on();
                     });
    }
    going_on_ = false;
    if (waits_ || next_ < searches_.size()) return;
    frond::http::Response response;
    response.body = "{\"took\":" + std::to_string(ms_since(begun_)) + ",\"responses\":[" + answers_ + "]}";
    responder_.send(std::move(response));
  }
  void add(const std::string& answer) { answers_.append(answers_.empty() ? "" : ",").append(answer); }

  std::vector<One> searches_;
  Responder responder_;
  const Clock::time_point begun_;
  std::string answers_;
  std::size_t next_ = 0;
  bool waits_ = false, going_on_ = false;
  Abandon abandon_;
};

Expected<AskedSearch> asked_line(const Targets& to, const Call& call, const Json& header, const Json& body) {
  ExpressionRules rules = FROND_EXPECT_OK(call.expression_rules());
  std::string expression = call.path_value("index");
  for (const auto& [key, value] : header.items()) {
    if (key == "index" || key == "indices") {
      expression.clear();
      for (const Json& one : value.is_array() ? value : Json::array({value}))
        if (one.is_string()) expression += (expression.empty() ? "" : ",") + one.get<std::string>();
    } else if (key == "ignore_unavailable") {
      rules.ignore_unavailable = value == true || value == "true";
    } else if (key == "allow_no_indices") {
      rules.allow_no_indices = value == true || value == "true";
    }
  }
  if (split_list(expression).size() > kMaxExpressionNames)
    return illegal_argument("more than " + std::to_string(kMaxExpressionNames) + " names of indices");
  auto targets = FROND_EXPECT_OK(targets_of(to, expression, rules, call.request.client));
  Parameters parameters;
  for (const auto& [name, value] : call.parameters)
    if (name == "typed_keys" || name == "rest_total_hits_as_int") parameters.emplace_back(name, value);
  return AskedSearch{std::move(targets), FROND_EXPECT_OK(read_search(body, parameters))};
}

void serve_msearch(const Targets& to, Call&& call, Responder responder) {
  const std::string& text = call.request.body;
  if (text.empty()) return responder.send(refusal_of(parse_exception("request body is required")));
  if (!text.ends_with('\n'))
    return responder.send(refusal_of(illegal_argument("The msearch request must be terminated by a newline [\\n]")));
  std::vector<Json> lines;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = text.find('\n', at);
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() && lines.size() % 2 == 0) {
      if (at >= text.size()) break;
      lines.push_back(Json::object());
      continue;
    }
    auto json = parse_object(line);
    if (!json) return responder.send(refusal_of(json.error()));
    lines.push_back(*std::move(json));
  }
  if (lines.size() < 2) return responder.send(refusal_of(validation_failed("no requests added")));
  if (lines.size() > 2 * kMaxSearches)
    return responder.send(
        refusal_of(illegal_argument("an msearch has at most " + std::to_string(kMaxSearches) + " searches")));
  if (call.request.permit) call.request.permit->charge(lines.size() / 2);
  std::vector<ManySearches::One> searches;
  for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
    auto asked = asked_line(to, call, lines[i], lines[i + 1]);
    // What can't be read fails the request, as Elasticsearch has it.
    const Json query = lines[i + 1].contains("query") ? lines[i + 1]["query"] : Json();
    if (query.is_object() && query.size() == 1 && !is_query(query.begin().key()))
      return responder.send(refusal_of(parsing_exception("unknown query [" + query.begin().key() + "]")));
    searches.push_back({std::move(asked)});
  }
  std::make_shared<ManySearches>(std::move(searches), std::move(responder))->begin();
}

Json capability(const MappedField& field) {
  return {{"type", name_of(field.type)}, {"searchable", true}, {"aggregatable", field.type != Type::kText}};
}

void serve_field_caps(const Targets& to, Call&& call, Responder responder) {
  const auto targets = targets_of(to, call);
  if (!targets) return responder.send(refusal_of(targets.error()));
  std::string patterns(call.parameter("fields").value_or(""));
  if (patterns.empty()) {
    const auto body = parse_object(call.request.body);
    if (!body) return responder.send(refusal_of(body.error()));
    const Json names = body->contains("fields") ? (*body)["fields"] : Json::array();
    for (const Json& one : names.is_array() ? names : Json::array({names}))
      if (one.is_string()) patterns += (patterns.empty() ? "" : ",") + one.get<std::string>();
  }
  const auto wanted = split_list(patterns);
  if (wanted.empty()) return responder.send(refusal_of(validation_failed("no fields specified")));
  if (wanted.size() > kMaxNames)
    return responder.send(
        refusal_of(illegal_argument("[fields] has more than " + std::to_string(kMaxNames) + " names")));
  Json fields = Json::object(), names = Json::array();
  std::map<std::string, std::map<std::string, Json>> types;  // by field and type: the indices that have it
  std::map<std::pair<std::string, std::string>, Json> shown;
  for (const Meant& meant : targets->meant) {
    const auto searched = searched_index(meant);
    if (!searched) return responder.send(refusal_of(searched.error()));
    names.push_back(searched->name);
    const auto add = [&](const std::string& name, const Json& capability) {
      for (const auto pattern : wanted)
        if (matches_pattern(pattern, name)) {
          types[name][capability["type"]].push_back(searched->name);
          shown[{name, capability["type"]}] = capability;
          return;
        }
    };
    for (const MappedField& field : searched->mapping->fields) add(field.name, capability(field));
    for (const std::string& object : searched->mapping->objects)
      add(object, {{"type", "object"}, {"searchable", false}, {"aggregatable", false}});
  }
  for (const auto& [name, by_type] : types)
    for (const auto& [type, indices] : by_type) {
      Json one = shown[{name, type}];
      if (by_type.size() > 1) one["indices"] = indices;
      fields[name][type] = std::move(one);
    }
  responder.send(json_response({{"indices", std::move(names)}, {"fields", std::move(fields)}}));
}

void serve_analyze(const Targets& to, Call&& call, Responder responder) {
  std::shared_ptr<const Mapping> mapping;
  if (!call.path_value("index").empty()) {
    const auto targets = targets_of(to, call);
    if (!targets) return responder.send(refusal_of(targets.error()));
    if (targets->meant.size() != 1) return responder.send(refusal_of(illegal_argument("_analyze is of one index")));
    auto searched = searched_index(targets->meant.front());
    if (!searched) return responder.send(refusal_of(searched.error()));
    mapping = searched->mapping;
  }
  auto body = parse_object(call.request.body);
  if (!body) return responder.send(refusal_of(body.error()));
  for (const char* const name : {"text", "analyzer", "field"})
    if (const auto given = call.parameter(name)) (*body)[name] = std::string(*given);
  const auto tokens = analyzed(*body, mapping.get());
  responder.send(tokens ? json_response(*tokens) : refusal_of(tokens.error()));
}

constexpr std::string_view kQueryParameters =
    "q,df,default_operator,analyzer,analyze_wildcard,lenient,ignore_unavailable,allow_no_indices,expand_wildcards,"
    "ignore_throttled,min_score,preference,routing,terminate_after,explain,rewrite,all_shards,_source,_source_includes,"
    "_source_excludes,stored_fields";
constexpr std::string_view kMsearchParameters =
    "typed_keys,rest_total_hits_as_int,max_concurrent_searches,max_concurrent_shard_requests,pre_filter_shard_size,"
    "search_type,"
    "ccs_minimize_roundtrips,ignore_unavailable,allow_no_indices,expand_wildcards";
constexpr std::string_view kCapsParameters =
    "fields,ignore_unavailable,allow_no_indices,expand_wildcards,include_unmapped,filters,types";
constexpr std::string_view kAnalyzeParameters =
    "text,analyzer,field,index,ignore_unavailable,allow_no_indices,expand_wildcards";

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
    {"GET", "/_msearch", kSearching, http::kMaxBatchBody, kMsearchParameters, serve_msearch},
    {"POST", "/_msearch", kSearching, http::kMaxBatchBody, kMsearchParameters, serve_msearch},
    {"GET", "/{index}/_msearch", kSearching, http::kMaxBatchBody, kMsearchParameters, serve_msearch},
    {"POST", "/{index}/_msearch", kSearching, http::kMaxBatchBody, kMsearchParameters, serve_msearch},
    {"GET", "/_validate/query", kSearching, kMaxBody, kQueryParameters, serve_validate},
    {"POST", "/_validate/query", kSearching, kMaxBody, kQueryParameters, serve_validate},
    {"GET", "/{index}/_validate/query", kSearching, kMaxBody, kQueryParameters, serve_validate},
    {"POST", "/{index}/_validate/query", kSearching, kMaxBody, kQueryParameters, serve_validate},
    {"GET", "/{index}/_explain/{id}", kSearching, kMaxBody, kQueryParameters, serve_explain},
    {"POST", "/{index}/_explain/{id}", kSearching, kMaxBody, kQueryParameters, serve_explain},
    {"GET", "/_field_caps", kSearching, kMaxBody, kCapsParameters, serve_field_caps},
    {"POST", "/_field_caps", kSearching, kMaxBody, kCapsParameters, serve_field_caps},
    {"GET", "/{index}/_field_caps", kSearching, kMaxBody, kCapsParameters, serve_field_caps},
    {"POST", "/{index}/_field_caps", kSearching, kMaxBody, kCapsParameters, serve_field_caps},
    {"GET", "/_analyze", kSearching, kMaxBody, kAnalyzeParameters, serve_analyze},
    {"POST", "/_analyze", kSearching, kMaxBody, kAnalyzeParameters, serve_analyze},
    {"GET", "/{index}/_analyze", kSearching, kMaxBody, kAnalyzeParameters, serve_analyze},
    {"POST", "/{index}/_analyze", kSearching, kMaxBody, kAnalyzeParameters, serve_analyze},
};

}  // namespace

std::span<const Route> search_routes() { return kRoutes; }

}  // namespace frond::broker::elasticsearch
