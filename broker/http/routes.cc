#include "broker/http/routes.h"

#include <memory>
#include <utility>

#include "broker/web/assets.h"

namespace frond::broker::http {
namespace {
using frond::http::Request;
using frond::http::Responder;
using frond::http::Response;

// A Responder is move-only and a Reply is copied around: shared between the two.
SearchService::Reply reply_to(std::shared_ptr<Responder> responder) {
  return [responder = std::move(responder)](Response response) {
    if (!response.body.ends_with('\n')) response.body += '\n';
    responder->send(std::move(response));
  };
}

void search(SearchService& service, const ParsedSearch& parsed, Responder responder) {
  if (!parsed.ok) return responder.send(parsed.error.response());
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const auto ticket = service.search(parsed.parameters, reply_to(shared));
  if (ticket) shared->on_client_gone([&service, ticket] { service.abandon(ticket); });
}

void search_many(MultiSearch& many, std::string body, Responder responder) {
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const auto batch = many.run(std::move(body), reply_to(shared));
  shared->on_client_gone([&many, batch] { many.abandon(batch); });
}

// Probes and pages take no parameters, and say so.
bool refuse_parameters(const Request& request, Responder& responder) {
  const auto pairs = frond::http::parse_query(request.query);
  if (pairs && pairs->empty()) return false;
  const std::string name = pairs ? pairs->front().first : "";
  responder.send(frond::http::problem(400, "Bad request", name + " is not a parameter of this route", name));
  return true;
}

void send_asset(const Request& request, Responder& responder) {
  const auto asset = web::find_asset(request.path);
  if (!asset) return responder.send(frond::http::problem(404, "Not found", "There is nothing here."));
  Response response{.content_type = std::string(asset->content_type), .body = std::string(asset->body)};
  response.headers = {{"Content-Security-Policy", std::string(web::kContentSecurityPolicy)},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"Cache-Control", "no-cache"}};
  responder.send(std::move(response));
}

void probe(Responder& responder, bool good, std::string_view word) {
  if (!good) return responder.send(frond::http::problem(503, "Unavailable", word));
  responder.send({.content_type = "text/plain; charset=utf-8", .body = std::string(word) + "\n"});
}

void add_admin_routes(frond::http::Router& router, const std::shared_ptr<const RouteTargets>& to) {
  const auto add = [&](std::string_view path, frond::http::Handler handler) {
    router.add("GET", path, std::move(handler), {.reserved = true});
  };
  add("/v1/cluster", [to](Request&& request, Responder responder) {
    if (refuse_parameters(request, responder)) return;
    responder.send({.body = cluster_json(to->map, to->service, to->collection, to->version, to->clock)});
  });
  add("/metrics", [to](Request&&, Responder responder) {
    responder.send({.content_type = std::string(metrics::kContentType), .body = to->registry.exposition()});
  });
  add("/livez", [to](Request&&, Responder responder) {
    const std::string why = to->stalled();
    probe(responder, why.empty(), why.empty() ? "alive" : why);
  });
  add("/readyz", [to](Request&&, Responder responder) {
    if (to->draining()) return probe(responder, false, "draining");
    const bool ready = to->map.ready();
    probe(responder, ready, ready ? "ready" : "no generation has a leaf for every partition");
  });
}
}  // namespace

frond::http::Router make_admin_routes(RouteTargets targets) {
  frond::http::Router router;
  add_admin_routes(router, std::make_shared<const RouteTargets>(std::move(targets)));
  return router;
}

frond::http::Router make_routes(RouteTargets targets) {
  frond::http::Router router;
  const auto to = std::make_shared<const RouteTargets>(std::move(targets));
  router.add("GET", "/v1/search", [to](Request&& request, Responder responder) {
    search(to->service, parse_search_query(request.query), std::move(responder));
  });
  router.add("POST", "/v1/search",
             [to](Request&& request, Responder responder) {
               if (refuse_parameters(request, responder)) return;
               search(to->service, parse_search_json(request.body), std::move(responder));
             },
             {.max_body = kMaxSearchBody});
  router.add("POST", "/v1/msearch",
             [to](Request&& request, Responder responder) {
               if (refuse_parameters(request, responder)) return;
               search_many(to->multi_search, std::move(request.body), std::move(responder));
             },
             {.max_body = kMaxBatchBody});
  add_admin_routes(router, to);
  // The page keeps its own state in its query, so "/" takes any.
  for (const web::Asset& asset : web::assets())
    router.add("GET", asset.path, [](Request&& request, Responder responder) { send_asset(request, responder); });
  return router;
}

void export_broker(metrics::Registry& registry, const cluster::ClusterMap& map, const scatter::ScatterContext& scatter,
                   const SearchService& service, const MultiSearch& multi_search) {
  registry.before_scrape([&registry, &map, &scatter, &service, &multi_search] {
    // The same family and labels give the same handle: looked up at each scrape, which is rare.
    const auto set = [&](const metrics::Family& family, double value, const metrics::Labels& labels = {}) {
      registry.gauge(family, labels).set(value);
    };
    const auto follow = [&](const metrics::Family& family, std::uint64_t now, const metrics::Labels& labels = {}) {
      registry.following_counter(family, labels).follow(now);
    };
    const auto& cache = service.cache().counters();
    follow(families::kCacheHits, cache.hits);
    follow(families::kCacheMisses, cache.misses);
    follow(families::kCacheCoalesced, service.flights().joined());
    follow(families::kCacheEvictions, cache.evictions);
    follow(families::kCacheStored, cache.stored);
    follow(families::kCacheTooLarge, cache.too_large);
    set(families::kCacheBytes, static_cast<double>(cache.bytes));
    set(families::kCacheLimit, static_cast<double>(service.cache().budget()));
    set(families::kCacheEntries, static_cast<double>(cache.entries));
    const Admission& admission = service.admission();
    set(families::kInFlight, static_cast<double>(admission.all()));
    set(families::kInFlightLimit, static_cast<double>(admission.limits().all));
    set(families::kMsearchInFlight, static_cast<double>(admission.batch()));
    set(families::kMsearchInFlightLimit, static_cast<double>(admission.limits().batch));
    set(families::kCostlyInFlight, static_cast<double>(admission.costly()));
    set(families::kCostlyInFlightLimit, static_cast<double>(admission.limits().costly));
    follow(families::kMsearchLate, multi_search.counters().late_lines);
    follow(families::kMsearchAbandoned, multi_search.counters().abandoned);
    follow(families::kLeafRequests, scatter.counters.search_requests, {{"kind", "search"}});
    follow(families::kLeafRequests, scatter.counters.fetch_requests, {{"kind", "fetch"}});
    follow(families::kLeafFailures, scatter.counters.search_failures, {{"kind", "search"}});
    follow(families::kLeafFailures, scatter.counters.fetch_failures, {{"kind", "fetch"}});
    follow(families::kFailovers, scatter.counters.failovers);
    follow(families::kHedges, scatter.hedging.counters().sent);
    follow(families::kHedgesWithheld, scatter.hedging.counters().over_budget, {{"reason", "budget"}});
    follow(families::kHedgesWithheld, scatter.hedging.counters().overloaded, {{"reason", "overload"}});
    double up = 0, draining = 0, down = 0, unlisted = 0, asked = 0;
    for (const auto& leaf : map.leaves()) {
      (!leaf->healthy ? down : leaf->draining() ? draining : up) += 1;
      unlisted += leaf->listed ? 0 : 1;
      asked += static_cast<double>(leaf->client->in_flight());
    }
    set(families::kLeaves, up, {{"state", "up"}});
    set(families::kLeaves, draining, {{"state", "draining"}});
    set(families::kLeaves, down, {{"state", "down"}});
    set(families::kLeavesUnlisted, unlisted);
    set(families::kLeafQueue, asked);
    const auto topology = map.topology();
    set(families::kGeneration, topology ? static_cast<double>(topology->generation) : 0);
    set(families::kPartitions, topology ? static_cast<double>(topology->partitions.size()) : 0);
    set(families::kCovered, topology ? static_cast<double>(topology->covered) : 0);
    set(families::kReady, map.ready() ? 1 : 0);
  });
}

}  // namespace frond::broker::http
