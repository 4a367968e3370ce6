#pragma once
// Finds the route of a request by method and path, from its header alone, before any of its body is read. Paths match
// whole. A path in a request is compared as it is, undecoded. An unknown path gets 404; a known path with another
// method gets 405 with Allow. GET's handler serves HEAD; OPTIONS lists the methods. Any thread, once all routes are
// added.
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/http/message.h"

namespace frond::http {

// The host names that a server answers to. This stops DNS rebinding: a hostile page changes its name's address to ours,
// so that a user's browser takes our answers for the page's own; but its requests carry the page's name, not one of
// ours. Values; const functions from any thread.
class HostList {
 public:
  // Without names every name is admitted.
  HostList() = default;
  // DNS names, in any case, without scheme and port. kInvalid quotes the one that is not a name.
  static Result<HostList> parse(std::span<const std::string> names);

  // `host` as in a request, with or without a port, which is ignored. Addresses and "localhost" are always admitted,
  // since no hostile page can have them as its name.
  bool admits(std::string_view host) const { return names_.empty() || has(host); }

 private:
  bool has(std::string_view host) const;
  std::vector<std::string> names_;  // in lower case, without a dot at the end
};

// What a route accepts.
struct RouteLimits {
  std::size_t max_body = 0;  // bytes, also decoded ones; 0: no body
  bool reserved = false;     // for probes and operators: served even when all connections are taken, under any Host
  Access access = Access::kOpen;  // what its clients must be allowed, if the server has a Gatekeeper
};

// How a request is answered: by a handler, or with `answer`.
struct Routing {
  const Handler* handler = nullptr;  // owned by the router; null: see `answer`
  std::string_view label;            // the route's path, for metrics; empty if there is none
  RouteLimits limits;
  std::optional<Response> answer;         // 404, 405, 415, or the list of methods
  Response (*shape)(Response) = nullptr;  // of what the server refuses the request with; null: as it is
  std::shared_ptr<Permit> permit;         // what an admitted request holds; the router leaves it empty
  ClientId client{};                      // … and these
  std::uint32_t client_weight = 1;
};

class Router {
 public:
  // `path` must be a literal; it is the route's label in metrics. Segments of it may be names in braces, which
  // stand for any segment but an empty one; the handler reads them with path_value() (message.h). Routes without one
  // take precedence.
  void add(std::string_view method, std::string_view path, Handler handler, RouteLimits limits = {});
  // One handler for every path, and every method or this one (GET has HEAD, too): others are answered 405 before their
  // bodies are read. Routes added afterwards take precedence.
  static Router everything(Handler handler, RouteLimits limits, std::string_view method = {});

  // Refusals of requests for what is below this path, or of all for "", are given this form: those of this router, and
  // of the server that has it. The longest path counts. `below`: a literal.
  void shape_refusals(std::string_view below, Response (*shape)(Response));

  // By the header alone. 415 where a body is taken that has a Content-Encoding which is not decoded (content_coding.h).
  Routing route(const Request& header) const;
  // The path of every route, in the order of add(); a path with two methods stands there twice.
  std::vector<std::string_view> paths() const;
  // Routes a whole request and calls its handler.
  void operator()(Request&& request, Responder responder) const;

 private:
  struct Route {
    std::string_view method, path;
    RouteLimits limits;
    Handler handler;
    bool has(std::string_view asked) const;
  };
  Routing find(const Request& header) const;
  static Routing taken_by(const Route& route, const Request& header);
  Routing missing(const Request& header, std::string_view path) const;
  static Response not_allowed(const Request& header, std::string allow);

  // A scan of two hundred takes a microsecond.
  std::vector<Route> routes_, patterns_;                                     // without and with a name in braces
  std::vector<std::pair<std::string_view, Response (*)(Response)>> shapes_;  // the longest path first
  std::optional<Route> everything_;
};

}  // namespace frond::http
