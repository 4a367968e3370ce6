#pragma once
// Method and path to a route, from a request's header alone: before any of its body is read. Unknown paths get 404,
// known paths with another method 405 with Allow; HEAD is served by GET's handler, OPTIONS lists the methods. Paths
// match whole, or by prefix where one was added with add_prefix. Any thread, once all routes are there.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/http/message.h"

namespace frond::http {

// What a route lets in.
struct RouteLimits {
  std::size_t max_body = 0;  // bytes; 0: requests have none
  bool reserved = false;     // for operators, probes: served when all connections are taken, and under any Host
};

// What becomes of a request.
struct Routing {
  const Handler* handler = nullptr;  // the router's; null: `answer` is there instead
  std::string_view label;            // the route, for metrics; empty: none
  RouteLimits limits;
  std::optional<Response> answer;  // 404, 405, or the methods
};

class Router {
 public:
  // `path` lives for ever (a literal); it is the route's label in metrics.
  void add(std::string_view method, std::string_view path, Handler handler, RouteLimits limits = {});
  // For every path that begins with `prefix`; exact paths win, then the longer prefix.
  void add_prefix(std::string_view method, std::string_view prefix, Handler handler, RouteLimits limits = {});
  // One handler for everything, whatever the method.
  static Router everything(Handler handler, RouteLimits limits);

  Routing route(const Request& header) const;
  // What a server does with a whole request, at once.
  void operator()(Request&& request, Responder responder) const;

 private:
  struct Route {
    std::string_view method, path;  // an empty method: any
    bool prefix;
    RouteLimits limits;
    Handler handler;
  };
  Routing missing(const Request& header, std::string_view path, bool exact) const;

  std::vector<Route> routes_;  // a dozen at most: a scan is quick
};

}  // namespace frond::http
