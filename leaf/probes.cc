#include "leaf/probes.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "leaf/families/metric_families.h"

namespace frond::leaf {
namespace {

// Probes and scrapes have reserved slots.
void add(http::Router& router, std::string_view path, http::Handler handler) {
  router.add("GET", path, std::move(handler), {.reserved = true});
}

void add_metrics_and_livez(http::Router& router, metrics::Registry& registry, std::function<std::string()> stalled) {
  add(router, "/metrics", [&registry](http::Request&&, http::Responder responder) {
    responder.send({.content_type = std::string(metrics::kContentType), .body = registry.exposition()});
  });
  add(router, "/livez", [stalled = std::move(stalled)](http::Request&&, http::Responder responder) {
    const std::string why = stalled();
    if (why.empty()) return responder.send({.body = R"({"live":true})"});
    responder.send({.status = 503, .body = nlohmann::json({{"live", false}, {"detail", why}}).dump()});
  });
}

http::Response readiness(bool ready, Generation generation, const std::string& detail) {
  const nlohmann::json state = {{"ready", ready}, {"generation", generation}, {"detail", detail}};
  return {.status = ready ? 200 : 503, .body = state.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

}  // namespace

void export_transfers(metrics::Registry& registry, const repository::RepositorySource& source) {
  registry.before_scrape([&source, bytes = registry.following_counter(families::kFetchedBytes),
                          broken = registry.following_counter(families::kTransfersBroken),
                          slow = registry.following_counter(families::kTransfersSlow),
                          resumed = registry.following_counter(families::kTransfersResumed)]() mutable {
    const repository::TransferCounts now = source.transfers();
    bytes.follow(now.bytes);
    broken.follow(now.broken);
    slow.follow(now.slow);
    resumed.follow(now.resumed);
  });
}

void export_object_requests(metrics::Registry& registry, const objects::Counts& requests) {
  registry.before_scrape([&registry, &requests] {
    const auto follow = [&registry](const metrics::Family& family, double now, const metrics::Labels& labels = {}) {
      registry.following_counter(family, labels).follow(now);
    };
    for (std::size_t k = 0; k < objects::kKindNames.size(); ++k) {
      const std::string kind(objects::kKindNames[k]);
      for (std::size_t o = 0; o < objects::kOutcomeNames.size(); ++o)
        if (const std::uint64_t seen = requests.requests[k][o]; seen > 0)
          follow(families::kObjectRequests, static_cast<double>(seen),
                 {{"kind", kind}, {"outcome", std::string(objects::kOutcomeNames[o])}});
      follow(families::kObjectSeconds, static_cast<double>(requests.microseconds[k]) * 1e-6, {{"kind", kind}});
    }
    follow(families::kObjectBytes, static_cast<double>(requests.bytes_sent), {{"direction", "sent"}});
    follow(families::kObjectBytes, static_cast<double>(requests.bytes_received), {{"direction", "received"}});
    follow(families::kObjectRetries, static_cast<double>(requests.retries));
  });
}

http::Router probe_routes(metrics::Registry& registry, const serve::LeafService& service,
                          const generation::ServedBoard& board, std::function<std::string()> stalled) {
  http::Router router;
  add_metrics_and_livez(router, registry, std::move(stalled));
  add(router, "/readyz", [&service, &board](http::Request&&, http::Responder responder) {
    const std::string why_not = service.why_not_ready(), detail = board.detail();
    const auto set = board.get();
    responder.send(
        readiness(why_not.empty(), set->empty() ? 0 : set->back()->generation, detail.empty() ? why_not : detail));
  });
  return router;
}

http::Router waiting_routes(metrics::Registry& registry, const std::string& why) {
  http::Router router;
  add_metrics_and_livez(router, registry, [] { return std::string(); });
  add(router, "/readyz",
      [why](http::Request&&, http::Responder responder) { responder.send(readiness(false, 0, why)); });
  return router;
}

}  // namespace frond::leaf
