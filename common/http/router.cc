#include "common/http/router.h"

namespace frond::http {

void Router::add(std::string_view method, std::string_view path, Handler handler) {
  routes_.push_back({method, path, false, std::move(handler)});
}
void Router::add_prefix(std::string_view method, std::string_view prefix, Handler handler) {
  routes_.push_back({method, prefix, true, std::move(handler)});
}

void Router::operator()(Request&& request, Responder responder) const {
  std::string_view best;  // the matching path, exact before prefix, long before short
  bool exact = false;
  for (const Route& route : routes_) {
    if (!route.prefix && route.path == request.path) {
      best = route.path;
      exact = true;
      break;
    }
    if (route.prefix && request.path.starts_with(route.path) && route.path.size() > best.size()) best = route.path;
  }
  if (best.empty()) {
    responder.send(problem(404, "Not found", "There is nothing at " + request.path.substr(0, 200) + "."));
    return;
  }
  responder.set_route(best);
  std::string allow;
  const std::string_view method = request.method == "HEAD" ? std::string_view("GET") : request.method;
  for (const Route& route : routes_) {
    if (route.path != best || route.prefix == exact) continue;
    if (route.method == method) return route.handler(std::move(request), std::move(responder));
    allow += (allow.empty() ? "" : ", ") + std::string(route.method) + (route.method == "GET" ? ", HEAD" : "");
  }
  allow += ", OPTIONS";
  Response response = request.method == "OPTIONS"
                          ? Response{.status = 204, .content_type = {}}
                          : problem(405, "Method not allowed",
                                    request.method.substr(0, 40) + " is not served here; these are: " + allow + ".");
  response.headers.emplace_back("Allow", allow);
  responder.send(std::move(response));
}

}  // namespace frond::http
