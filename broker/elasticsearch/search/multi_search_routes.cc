// _msearch: several searches in one request.
#include <memory>

#include "broker/elasticsearch/queries/range_ends.h"
#include "broker/elasticsearch/search/search_targets.h"

namespace frond::broker::elasticsearch {
namespace {

using frond::http::Responder;

constexpr std::size_t kMaxSearches = 1000;         // of one _msearch
constexpr std::size_t kMaxAnswer = 64 << 20;       // bytes after which no search is begun
constexpr std::size_t kMaxExpressionNames = 1024;  // of one of its lines

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
      if (one.asked && answers_.size() > kMaxAnswer)
        one.asked = ApiError{.status = 413,
                             .type = "content_too_long_exception",
                             .reason = "the answers before have more than " + std::to_string(kMaxAnswer) + " bytes"};
      if (!one.asked) {
        add(error_json(one.asked.error()).dump(-1, ' ', false, Json::error_handler_t::replace));
        continue;
      }
      waits_ = true;
      const auto ask = std::make_shared<const SearchAsk>(std::move(one.asked->ask));
      abandon_ =
          run_search(std::move(one.asked->targets), ask,
                     [self = shared_from_this(), ask, begun = Clock::now()](Expected<Gathered> gathered) {
                       self->waits_ = false;
                       if (!gathered) {
                         self->add(error_json(gathered.error()).dump(-1, ' ', false, Json::error_handler_t::replace));
                       } else {
                         std::string body = search_json(*gathered, *ask, ms_since(begun));
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

constexpr std::string_view kHeaderMembers =
    "search_type,request_cache,preference,expand_wildcards,allow_partial_search_results,routing,ccs_minimize_"
    "roundtrips,"
    "ignore_throttled,max_concurrent_shard_requests,pre_filter_shard_size,cancel_after_time_interval";

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
    } else if (!is_listed(kHeaderMembers, key)) {
      return illegal_argument("key [" + key.substr(0, 100) + "] is not supported in the metadata section");
    }
  }
  if (split_list(expression).size() > kMaxExpressionNames)
    return illegal_argument("more than " + std::to_string(kMaxExpressionNames) + " names of indices");
  auto targets = FROND_EXPECT_OK(targets_of(to, expression, rules, call.request.asker()));
  Parameters parameters;
  for (const auto& [name, value] : call.parameters)
    if (name == "typed_keys" || name == "rest_total_hits_as_int") parameters.emplace_back(name, value);
  auto ask = FROND_EXPECT_OK(read_search(body, parameters));
  return AskedSearch{std::move(targets), std::move(ask)};
}

void serve_msearch(const Targets& to, Call&& call, Responder responder) {
  const std::string& text = call.request.body;
  if (text.empty()) return responder.send(response_of(parse_exception("request body is required")));
  if (!text.ends_with('\n'))
    return responder.send(response_of(illegal_argument("The msearch request must be terminated by a newline [\\n]")));
  std::vector<Json> lines;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = text.find('\n', at);
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (lines.size() == 2 * kMaxSearches && (!line.empty() || at < text.size()))
      return responder.send(
          response_of(illegal_argument("an msearch has at most " + std::to_string(kMaxSearches) + " searches")));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() && lines.size() % 2 == 0) {
      if (at >= text.size()) break;
      lines.push_back(Json::object());
      continue;
    }
    auto json = line.empty() ? Expected<Json>(parsing_exception("Expected [START_OBJECT] but found [null]"))
                             : parse_with_queries(line);
    if (!json) return responder.send(response_of(json.error()));
    lines.push_back(*std::move(json));
  }
  if (lines.size() < 2) return responder.send(response_of(validation_failed("no requests added")));
  if (call.request.permit) call.request.permit->charge(lines.size() / 2);
  std::vector<ManySearches::One> searches;
  for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
    auto asked = asked_line(to, call, lines[i], lines[i + 1]);
    // What can't be read fails the request, as Elasticsearch has it.
    const Json query = lines[i + 1].contains("query") ? lines[i + 1]["query"] : Json();
    if (query.is_object() && query.size() == 1 && !is_query(query.begin().key()))
      return responder.send(response_of(parsing_exception("unknown query [" + query.begin().key() + "]")));
    if (!asked && asked.error().status == 400 && asked.error().type == "illegal_argument_exception")
      return responder.send(response_of(asked.error()));
    searches.push_back({std::move(asked)});
  }
  std::make_shared<ManySearches>(std::move(searches), std::move(responder))->begin();
}

constexpr std::string_view kMsearchParameters =
    "typed_keys,rest_total_hits_as_int,max_concurrent_searches,max_concurrent_shard_requests,pre_filter_shard_size,"
    "search_type,"
    "ccs_minimize_roundtrips,ignore_unavailable,allow_no_indices,expand_wildcards";
constexpr auto kSearchingMany = frond::http::Access::kSearch;
constexpr Route kMultiRoutes[] = {
    {"GET,POST", "[/{index}]/_msearch", kSearchingMany, http::kMaxBatchBody, kMsearchParameters, serve_msearch},
};

}  // namespace

std::span<const Route> multi_search_routes() { return kMultiRoutes; }

}  // namespace frond::broker::elasticsearch
