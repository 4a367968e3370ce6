#pragma once
// The metrics of an HTTP server, the same in every process that has one.
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "common/http/server/server.h"
#include "common/metrics/registry.h"

namespace frond::http {

// An HTTP server's connections and limits (its group's, if it has one), labelled with its listener's name. The server
// must outlive the registry's last exposition.
void export_server(metrics::Registry& registry, const Server& server, const std::string& listener);

// For Server::Config::on_answer. One thread.
class RequestMetrics {
 public:
  explicit RequestMetrics(metrics::Registry& registry) : registry_(registry) {}
  void count(const AnsweredRequest& request);

 private:
  struct Route {
    metrics::Counter requests;
    metrics::Histogram time;
  };
  metrics::Registry& registry_;
  std::map<std::pair<std::string_view, int>, Route> routes_;  // the routes are literals
};

}  // namespace frond::http
