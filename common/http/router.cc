#include "common/http/router.h"

#include <algorithm>
#include <string>
#include <utility>

namespace frond::http {
namespace {

bool is_identity(std::string_view coding) {
  constexpr std::string_view kIdentity = "identity";
  const auto same = [](char a, char b) { return (a | 0x20) == b; };  // ASCII letters
  return std::equal(coding.begin(), coding.end(), kIdentity.begin(), kIdentity.end(), same);
}

}  // namespace

void Router::add(std::string_view method, std::string_view path, Handler handler, RouteLimits limits) {
  const bool pattern = path.find('{') != std::string_view::npos;
  (pattern ? patterns_ : routes_).push_back({method, path, limits, std::move(handler)});
}
Router Router::everything(Handler handler, RouteLimits limits, std::string_view method) {
  Router router;
  router.everything_ = Route{method, {}, limits, std::move(handler)};
  return router;
}

Routing Router::route(const Request& header) const {
  const std::string_view method = header.method == "HEAD" ? std::string_view("GET") : header.method;
  std::string_view known;  // the request's path, if another method has a route there
  for (const Route& route : routes_) {
    if (route.path != header.path) continue;
    if (route.method == method) return taken_by(route, header);
    known = route.path;
  }
  for (const Route& route : patterns_) {
    if (!route.has(header.path)) continue;
    if (route.method == method) return taken_by(route, header);
    known = route.path;
  }
  if (!known.empty() || !everything_) return missing(header, known);
  if (everything_->method.empty() || everything_->method == method) return taken_by(*everything_, header);
  const bool reads = everything_->method == "GET";
  return {.answer = not_allowed(header, std::string(everything_->method) + (reads ? ", HEAD" : ""))};
}

Routing Router::taken_by(const Route& route, const Request& header) {
  const std::string_view coding = header.header("content-encoding");
  if (route.limits.max_body == 0 || coding.empty() || is_identity(coding))
    return {.handler = &route.handler, .label = route.path, .limits = route.limits};
  auto refused = problem(415, "Unsupported media type",
                         "The body has the Content-Encoding '" + std::string(coding.substr(0, 40)) +
                             "', and none is decoded here: send it as it is.",
                         "Content-Encoding");
  refused.headers.emplace_back("Accept-Encoding", "identity");
  return {.label = route.path, .answer = std::move(refused)};
}

std::vector<std::string_view> Router::paths() const {
  std::vector<std::string_view> paths;
  for (const auto* const routes : {&routes_, &patterns_})
    for (const Route& route : *routes) paths.push_back(route.path);
  return paths;
}

bool Router::Route::has(std::string_view asked) const { return !raw_path_value(asked, path).empty(); }

Routing Router::missing(const Request& header, std::string_view path) const {
  if (path.empty())
    return {.answer = problem(404, "Not found", "There is nothing at " + header.path.substr(0, 200) + ".")};
  std::string allow;
  for (const auto* const routes : {&routes_, &patterns_})
    for (const Route& route : *routes)
      if (route.path == path)
        allow += (allow.empty() ? "" : ", ") + std::string(route.method) + (route.method == "GET" ? ", HEAD" : "");
  return {.label = path, .answer = not_allowed(header, std::move(allow))};
}

Response Router::not_allowed(const Request& header, std::string allow) {
  allow += ", OPTIONS";
  Response answer = header.method == "OPTIONS"
                        ? Response{.status = 204, .content_type = {}}
                        : problem(405, "Method not allowed",
                                  header.method.substr(0, 40) + " is not served here; these are: " + allow + ".");
  answer.headers.emplace_back("Allow", std::move(allow));
  return answer;
}

void Router::operator()(Request&& request, Responder responder) const {
  Routing routing = route(request);
  responder.set_route(routing.label);
  if (routing.handler == nullptr) return responder.send(*std::move(routing.answer));
  if (request.body.size() > routing.limits.max_body) return responder.send(body_too_large(routing.limits.max_body));
  (*routing.handler)(std::move(request), std::move(responder));
}

}  // namespace frond::http
