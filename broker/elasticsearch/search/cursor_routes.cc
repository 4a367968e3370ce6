// Searches that go on: scrolls and points in time (search_places.h).
#include <memory>
#include <tuple>

#include "broker/elasticsearch/hits/window_order.h"
#include "broker/elasticsearch/routes.h"
#include "broker/elasticsearch/search/search_places.h"
#include "broker/elasticsearch/search/search_targets.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

using frond::http::Responder;
using frond::http::Response;

std::string names_of(const SearchedTargets& targets) {
  std::string names;
  for (const Meant& meant : targets.meant) names += (names.empty() ? "" : ",") + meant.index->name;
  return names;
}

// "scroll_id", "pit_id": one or several, in the body, the address or the path.
Expected<std::vector<std::string>> ids_in(const Call& call, const Json& body, const char* name) {
  std::vector<std::string> ids;
  if (const auto given = body.find(name); given != body.end())
    for (const Json& one : given->is_array() ? *given : Json::array({*given})) {
      if (!one.is_string()) return illegal_argument("[" + std::string(name) + "] must be texts");
      ids.push_back(one.get<std::string>());
    }
  if (const auto given = call.parameter(name))
    for (const auto one : split_list(*given)) ids.emplace_back(one);
  if (const std::string given = call.path_value("id"); !given.empty())
    for (const auto one : split_list(given)) ids.emplace_back(one);
  if (ids.size() > kMaxNames) return illegal_argument("more than " + std::to_string(kMaxNames) + " ids");
  return ids;
}

void serve_scroll(const Targets& to, Call&& call, Responder responder) {
  const auto begun = Clock::now();
  auto asked = [&]() -> Expected<std::pair<SearchPlace, AskedSearch>> {
    const Json body = FROND_EXPECT_OK(parse_object(call.request.body));
    const auto ids = FROND_EXPECT_OK(ids_in(call, body, "scroll_id"));
    if (ids.size() != 1) return validation_failed("scrollId is missing");
    SearchPlace place = FROND_EXPECT_OK(read_place(ids.front(), now_ms()));
    const std::string keep = FROND_EXPECT_OK(text_member(body, "scroll", call.parameter("scroll").value_or("")));
    if (!keep.empty()) place.ends_ms = now_ms() + FROND_EXPECT_OK(keep_alive(keep, "scroll"));
    auto targets = FROND_EXPECT_OK(targets_of(to, place.expression, {}, call.request.asker()));
    SearchAsk ask = FROND_EXPECT_OK(read_search(place.body, place.parameters));
    FROND_EXPECT_OK(check_scroll(ask));  // the client has had it
    ask.scrolls = true;
    ask.aggregations = nullptr;
    ask.total_as_number = FROND_EXPECT_OK(call.flag("rest_total_hits_as_int", false));
    ask.scrolled = place.scrolled;
    std::erase_if(targets.meant, [&](const Meant& one) { return !place.scrolled.contains(one.index->name); });
    ask.now_ms = place.now_ms;
    return std::pair(std::move(place), AskedSearch{std::move(targets), std::move(ask)});
  }();
  if (!asked) return responder.send(response_of(asked.error()));
  send_scrolled(std::move(asked->second.targets), std::move(asked->second.ask), std::move(asked->first), begun,
                std::move(responder));
}

Expected<Response> clear_scrolls(const Targets&, const Call& call) {
  const Json body = FROND_EXPECT_OK(parse_object(call.request.body));
  const auto ids = FROND_EXPECT_OK(ids_in(call, body, "scroll_id"));
  if (ids.empty()) return validation_failed("no scroll ids specified");
  std::size_t freed = 0;
  for (const std::string& id : ids) {
    if (id == "_all") continue;  // which there are is not known
    const auto place = read_place(id, now_ms());
    if (place)
      freed += close_place(*place) ? 1 : 0;
    else if (place.error().status == 400)
      return place.error();
  }
  const bool found = freed > 0 || ids.front() == "_all";
  return json_response({{"succeeded", true}, {"num_freed", freed}}, found ? 200 : 404);
}

Expected<Response> open_point(const Targets& to, const Call& call) {
  const bool vendor = call.request.path.ends_with("/_pit");  // Elasticsearch's; the other one is OpenSearch's
  const auto given = call.parameter("keep_alive");
  if (!given) return validation_failed("keep alive is missing");
  const auto targets = FROND_EXPECT_OK(targets_of(to, call));
  const auto kept_ms = FROND_EXPECT_OK(keep_alive(*given, "keep_alive"));
  SearchPlace place{.number = new_place_number(), .ends_ms = now_ms() + kept_ms, .expression = names_of(targets)};
  for (const Meant& meant : targets.meant) {
    if (!meant.filters.empty()) place.expression = call.path_value("index");
    const auto* const collection = http::find_collection(*targets.collections, meant.index->name);
    if (collection == nullptr) return unavailable("index [" + meant.index->name + "] is not served yet");
    if (const auto topology = collection->service->scatter().map.topology())
      place.generations[meant.index->name] = topology->id();
    else if (meant.index->may_be_empty())
      place.generations[meant.index->name] = {};
  }
  const std::size_t all = targets.meant.size();
  return json_response({{vendor ? "id" : "pit_id", place_text(place)},
                        {"_shards", {{"total", all}, {"successful", all}, {"skipped", 0}, {"failed", 0}}},
                        {"creation_time", now_ms()}});
}

Expected<Response> close_points(const Targets&, const Call& call) {
  const bool vendor = call.request.path.ends_with("/_pit");
  const Json body = FROND_EXPECT_OK(parse_object(call.request.body));
  const auto ids = FROND_EXPECT_OK(ids_in(call, body, vendor ? "id" : "pit_id"));
  if (ids.empty()) return validation_failed("no pit ids specified");
  std::size_t freed = 0;
  Json pits = Json::array();
  for (const std::string& id : ids) {
    const auto place = read_place(id, now_ms());
    if (!place && place.error().status == 400) return place.error();
    freed += place && close_place(*place) ? 1 : 0;
    pits.push_back({{"successful", true}, {"pit_id", id}});
  }
  if (vendor) return json_response({{"succeeded", true}, {"num_freed", freed}}, freed > 0 ? 200 : 404);
  return json_response({{"pits", std::move(pits)}});
}

constexpr auto kGoingOn = frond::http::Access::kSearch;
constexpr std::string_view kScrollParameters = "scroll,scroll_id,rest_total_hits_as_int";
constexpr std::string_view kOpenParameters =
    "keep_alive,preference,routing,ignore_unavailable,allow_no_indices,expand_wildcards,allow_partial_pit_creation,"
    "allow_partial_search_results";
constexpr Route kCursorRoutes[] = {
    {"GET,POST", "/_search/scroll", kGoingOn, kMaxBody, kScrollParameters, serve_scroll},
    {"DELETE", "/_search/scroll[/{id}]", kGoingOn, kMaxBody, kScrollParameters, answering<clear_scrolls>},
    {"POST", "/{index}/_search/point_in_time", kGoingOn, kMaxBody, kOpenParameters, answering<open_point>},
    {"DELETE", "/_search/point_in_time", kGoingOn, kMaxBody, "pit_id", answering<close_points>},
    {"POST", "/{index}/_pit", kGoingOn, kMaxBody, kOpenParameters, answering<open_point>},
    {"DELETE", "/_pit", kGoingOn, kMaxBody, "id", answering<close_points>},
};

}  // namespace

Expected<void> check_scroll(const SearchAsk& ask) {
  if (ask.from > 0) return validation_failed("using [from] is not allowed in a scroll context");
  if (ask.size == 0) return validation_failed("[size] cannot be [0] in a scroll context");
  if (ask.size > http::kMaxK)
    return not_supported("[scroll] of more than " + std::to_string(http::kMaxK) + " hits a page");
  if (ask.search_after) return validation_failed("`search_after` cannot be used in a scroll context.");
  if (!ask.rescore.is_null()) return validation_failed("using [rescore] is not allowed in a scroll context");
  if (!ask.collapse.is_null()) return validation_failed("cannot use `collapse` in a scroll context");
  if (ask.has_stages()) return not_supported("[scroll] of such a search");
  return {};
}

void send_scrolled(SearchedTargets targets, SearchAsk scrolled, SearchPlace place, Clock::time_point begun,
                   Responder responder) {
  const bool first = scrolled.scrolled.empty();
  if (!targets.meant.empty()) place.expression = names_of(targets);
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const auto ask = std::make_shared<const SearchAsk>(std::move(scrolled));
  const Abandon abandon =
      run_search(std::move(targets), ask, [shared, ask, place, first, begun](Expected<Gathered> gathered) {
        if (!gathered) return shared->send(response_of(gathered.error()));
        SearchPlace next = place;
        next.scrolled = std::move(gathered->scrolled);
        if (first) {
          next.max_score = gathered->max_score.value_or(-1);
          std::tie(next.total, next.exact) = std::pair(gathered->total, gathered->exact);
        }
        if (next.max_score >= 0) gathered->max_score = next.max_score;
        std::tie(gathered->total, gathered->exact) = std::pair(next.total, next.exact);
        gathered->cursor_name = "_scroll_id";
        gathered->cursor = place_text(next);
        if (gathered->cursor.size() > kMaxPlaceBytes)
          return shared->send(response_of(not_supported("[scroll] of so long a search")));
        frond::http::Response response;
        response.body = search_json(*gathered, *ask, ms_since(begun));
        shared->send(std::move(response));
      });
  if (abandon) shared->on_client_gone(abandon);
}

Expected<AskedSearch> asked_point(const Targets& to, const Call& call, Json body, SearchPlace& place) {
  const Json pit = body["pit"];
  if (!call.path_value("index").empty()) return validation_failed("[indices] cannot be used with point in time");
  if (!pit.is_object() || !pit.contains("id")) return parsing_exception("[pit] must have an [id]");
  const std::string id = FROND_EXPECT_OK(text_member(pit, "id", ""));
  place = FROND_EXPECT_OK(read_place(id, now_ms()));
  if (const std::string keep = FROND_EXPECT_OK(text_member(pit, "keep_alive", "")); !keep.empty())
    place.ends_ms = now_ms() + FROND_EXPECT_OK(keep_alive(keep, "keep_alive"));
  body.erase("pit");
  auto targets = FROND_EXPECT_OK(targets_of(to, place.expression, {}, call.request.asker()));
  auto ask = FROND_EXPECT_OK(read_search(body, call.parameters));
  AskedSearch asked{std::move(targets), std::move(ask)};
  asked.ask.generations = place.generations;
  return asked;
}

std::span<const Route> cursor_routes() { return kCursorRoutes; }

}  // namespace frond::broker::elasticsearch
