#pragma once
// Method and path to a handler. Unknown paths get 404, known paths with another method 405 with Allow; HEAD is served
// by GET's handler, OPTIONS lists the methods. Paths match whole, or by prefix where one was added with add_prefix.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/http/message.h"

namespace frond::http {

class Router {
 public:
  // `path` lives for ever (a literal); it is the route's label in metrics.
  void add(std::string_view method, std::string_view path, Handler handler);
  // For every path that begins with `prefix`; exact paths win, then the longer prefix.
  void add_prefix(std::string_view method, std::string_view prefix, Handler handler);
  void operator()(Request&& request, Responder responder) const;

 private:
  struct Route {
    std::string_view method, path;
    bool prefix;
    Handler handler;
  };
  std::vector<Route> routes_;  // a dozen at most: a scan is quick
};

}  // namespace frond::http
