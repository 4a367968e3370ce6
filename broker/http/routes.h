#pragma once
// The broker's routes (docs/http-api.md): each turns a request into a call and the result into a response. Each thread
// of the broker has its own.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/http/change_forwarder.h"
#include "broker/http/monitoring/broker_status.h"
#include "broker/http/search/multi_search.h"
#include "broker/http/search/search_service.h"
#include "common/http/server/router.h"
#include "common/metrics/registry.h"

namespace frond::broker::http {

// Of its body, unless the parameter body_bytes says otherwise, which may be at most wire::kMaxFetchedBodyBytes. A large
// body takes the service's thread, on which searches wait, 10 ms a MiB.
inline constexpr std::uint32_t kDefaultBodyBytes = 1 << 20;

// GET /v1/documents/{id} and GET /v1/documents?id=…: one document as it is stored, whatever queries find.
// 200: {"id","title","url","body","truncated","generation"}. 400: names the parameter. 404: no document of the
// generation has the id. 429: too many costly searches and documents of the client wait; one waits until its deadline.
// 503, 504: a partition that may have it was not asked, since it has no leaf, or only leaves of an older version, or
// had no time. `id`: none if the query string has it. The service's thread, which outlives the request.
void serve_document(SearchService& service, std::optional<std::string> id, const frond::http::Request& request,
                    frond::http::Responder responder);

inline constexpr std::size_t kMaxBatchBody = 8 << 20;  // POST /v1/msearch

// What a thread searches. With --collection '*' collections come and go between two requests, on the thread itself;
// what a request has found stays until it is answered.
struct SearchedCollection {
  std::string name;
  SearchService* service;
  MultiSearch* multi_search;
};
using SearchedCollections = std::vector<SearchedCollection>;
// Null: there is none of that name.
const SearchedCollection* find_collection(const SearchedCollections& collections, std::string_view name);

struct RouteTargets {
  // The first is that of routes which name none.
  std::shared_ptr<const SearchedCollections> collections;
  metrics::Registry& registry;
  StatusMetrics& metrics;
  const SlowSearches& slow;
  Identity broker;
  // Calls its argument once with the status of all threads, at once or later on the calling thread.
  std::function<void(std::function<void(const BrokerStatus&)>)> collect_status = {};
  std::function<bool()> ready = {};           // whether searches are to come here; false: /readyz is 503
  std::function<bool()> draining = {};        // true: /readyz is 503
  std::function<std::string()> stalled = {};  // names a loop that does not turn: /livez is 503; empty: all turn
  // What searches lack, told by /readyz; empty: nothing.
  std::function<std::string()> lacking = [] { return std::string(); };
  // Passes changes on; null: they are no routes here.
  ChangeForwarder* changes = nullptr;
};

frond::http::Router make_routes(RouteTargets targets);
// Only the routes for operators and probes: /livez, /readyz, /metrics, /v1/cluster. make_routes() has them too.
frond::http::Router make_admin_routes(RouteTargets targets);

}  // namespace frond::broker::http
