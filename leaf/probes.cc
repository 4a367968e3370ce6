#include "leaf/probes.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "common/objects/counts.h"
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

http::Response answer(bool ready, const nlohmann::json& state) {
  return {.status = ready ? 200 : 503, .body = state.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

nlohmann::json readiness(bool ready, Generation generation, const std::string& detail) {
  return {{"ready", ready}, {"generation", generation}, {"detail", detail}};
}

http::Response readiness(const serve::Collections& collections) {
  const std::string why_not = collections.why_not_ready();
  const auto states = collections.states();
  if (states.size() == 1)
    return answer(why_not.empty(), readiness(why_not.empty(), states[0].generation, states[0].detail));
  nlohmann::json each = nlohmann::json::array();
  std::string detail;
  for (const auto& one : states) {
    nlohmann::json& told = each.emplace_back(readiness(one.ready, one.generation, one.detail));
    told["collection"] = one.name;
    if (!one.detail.empty()) detail += (detail.empty() ? "" : "; ") + one.name + ": " + one.detail;
  }
  nlohmann::json all = readiness(why_not.empty(), states.empty() ? 0 : states[0].generation, detail);
  all["collections"] = std::move(each);
  return answer(why_not.empty(), all);
}

}  // namespace

void export_loop_ages(metrics::Registry& registry, const Clock& clock, std::function<std::vector<Loop>()> loops) {
  registry.before_scrape([&registry, &clock, loops = std::move(loops)] {
    for (const Loop& loop : loops())
      registry.gauge(families::kLoopAge, {{"loop", std::string(loop.name)}})
          .set(std::chrono::duration<double>(clock.now() - loop.turned).count());
  });
}

void export_transfers(metrics::Registry& registry, std::function<repository::TransferCounts()> now) {
  using repository::TransferCounts;
  const families::Export exported(registry, std::move(now));
  exported.counter(families::kFetchedBytes, &TransferCounts::bytes);
  exported.counter(families::kTransfersBroken, &TransferCounts::broken);
  exported.counter(families::kTransfersSlow, &TransferCounts::slow);
  exported.counter(families::kTransfersResumed, &TransferCounts::resumed);
}

void export_object_requests(metrics::Registry& registry, const objects::Counts& requests) {
  objects::export_requests(
      registry, {families::kObjectRequests, families::kObjectSeconds, families::kObjectBytes, families::kObjectRetries},
      requests);
}

http::Router probe_routes(metrics::Registry& registry, const serve::Collections& collections,
                          std::function<std::string()> stalled) {
  http::Router router;
  add_metrics_and_livez(router, registry, std::move(stalled));
  add(router, "/readyz",
      [&collections](http::Request&&, http::Responder responder) { responder.send(readiness(collections)); });
  return router;
}

http::Router waiting_routes(metrics::Registry& registry, const std::string& why) {
  http::Router router;
  add_metrics_and_livez(router, registry, [] { return std::string(); });
  add(router, "/readyz",
      [why](http::Request&&, http::Responder responder) { responder.send(answer(false, readiness(false, 0, why))); });
  return router;
}

}  // namespace frond::leaf
