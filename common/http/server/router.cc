#include "common/http/server/router.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <boost/asio/ip/address.hpp>

#include "common/http/content_coding.h"
#include "common/http/letter_case.h"
#include "common/net/address.h"

namespace frond::http {
namespace {

constexpr std::size_t kMaxName = 253;  // bytes of a name (RFC 1035)

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string_view without_dot(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  return name;
}
bool is_name_char(char c) {
  const char l = lower(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
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

void Router::shape_refusals(std::string_view below, Response (*shape)(Response)) {
  shapes_.emplace_back(below, shape);
  std::ranges::stable_sort(shapes_, std::greater(), [](const auto& one) { return one.first.size(); });
}

Routing Router::route(const Request& header) const {
  Routing routing = find(header);
  for (const auto& [below, shape] : shapes_) {
    const std::string_view path = header.path;
    if (!path.starts_with(below) || (path.size() > below.size() && path[below.size()] != '/')) continue;
    routing.shape = shape;
    if (routing.answer && routing.answer->status >= 400) routing.answer = shape(*std::move(routing.answer));
    break;
  }
  return routing;
}

Routing Router::find(const Request& header) const {
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
  if (route.limits.max_body == 0 || !is_coded(coding) || can_decode(coding))
    return {.handler = &route.handler, .label = route.path, .limits = route.limits};
  auto refused = problem(415, "Unsupported media type",
                         "The body has the Content-Encoding '" + std::string(coding.substr(0, 40)) + "'; decoded are " +
                             std::string(kDecoded) + ".",
                         "Content-Encoding");
  refused.headers.emplace_back("Accept-Encoding", kDecoded);
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
  if (request.body.size() > routing.limits.max_body) {
    Response refusal = body_too_large(routing.limits.max_body);
    return responder.send(routing.shape != nullptr ? routing.shape(std::move(refusal)) : std::move(refusal));
  }
  (*routing.handler)(std::move(request), std::move(responder));
}

Result<HostList> HostList::parse(std::span<const std::string> names) {
  HostList list;
  for (const std::string& name : names) {
    const std::string_view bare = without_dot(name);
    if (bare.empty() || bare.size() > kMaxName || !std::all_of(bare.begin(), bare.end(), is_name_char))
      return Error(Code::kInvalid,
                   "'" + name.substr(0, kMaxName) + "' is not a host's name: names have no scheme, port or path");
    std::string& kept = list.names_.emplace_back(bare);
    std::transform(kept.begin(), kept.end(), kept.begin(), lower);
  }
  return list;
}

bool HostList::has(std::string_view host) const {
  const auto parts = net::split_authority(host);
  if (!parts) return false;
  if (parts->bracketed) return net::is_ipv6(parts->host);
  const std::string_view name = without_dot(parts->host);
  if (iequals(name, "localhost")) return true;
  for (const std::string& known : names_)
    if (iequals(name, known)) return true;
  boost::system::error_code none;
  boost::asio::ip::make_address_v4(std::string(name), none);
  return !none;
}

}  // namespace frond::http
