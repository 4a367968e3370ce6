#include "leaf/probes.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace frond::leaf {

http::Router probe_routes(metrics::Registry& registry, const LeafService& service, const ServedBoard& board,
                          std::function<std::string()> stalled) {
  http::Router router;
  router.add("GET", "/metrics", [&registry](http::Request&&, http::Responder responder) {
    responder.send({.content_type = std::string(metrics::kContentType), .body = registry.exposition()});
  });
  router.add("GET", "/livez", [stalled = std::move(stalled)](http::Request&&, http::Responder responder) {
    const std::string why = stalled();
    if (why.empty()) return responder.send({.body = R"({"live":true})"});
    responder.send({.status = 503, .body = nlohmann::json({{"live", false}, {"detail", why}}).dump()});
  });
  router.add("GET", "/readyz", [&service, &board](http::Request&&, http::Responder responder) {
    const std::string why_not = service.why_not_ready(), detail = board.detail();
    const bool ready = why_not.empty();
    const auto set = board.get();
    const nlohmann::json state = {{"ready", ready},
                                  {"generation", set->empty() ? 0 : set->back()->generation},
                                  {"detail", detail.empty() ? why_not : detail}};
    responder.send(
        {.status = ready ? 200 : 503, .body = state.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
  });
  return router;
}

}  // namespace frond::leaf
