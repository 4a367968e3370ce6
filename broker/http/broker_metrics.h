#pragma once
// Every metric of frond-broker, and the handles its parts count with.
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "common/http/server.h"
#include "common/metrics/registry.h"

namespace frond::broker::http {

namespace families {
using metrics::Family;
inline constexpr Family kSearches{"frond_broker_searches_total", "Searches answered, by outcome."};
inline constexpr Family kSearchTime{"frond_broker_search_duration_seconds",
                                    "From a search's arrival to its answer, by what the cache did."};
inline constexpr Family kInFlight{"frond_broker_searches_in_flight", "Searches being evaluated by leaves."};
inline constexpr Family kInFlightLimit{"frond_broker_searches_in_flight_limit",
                                       "Searches that may be evaluated at a time; more are shed with 429."};
inline constexpr Family kMsearchInFlight{"frond_broker_msearch_searches_in_flight",
                                         "Of these, lines of msearch requests."};
inline constexpr Family kMsearchInFlightLimit{"frond_broker_msearch_searches_in_flight_limit",
                                              "Lines of msearch requests that may be evaluated at a time; more wait."};
inline constexpr Family kCostlyInFlight{"frond_broker_costly_searches_in_flight",
                                        "Of the searches being evaluated, those that cost many times the usual."};
inline constexpr Family kCostlyInFlightLimit{"frond_broker_costly_searches_in_flight_limit",
                                             "Costly searches that may be evaluated at a time."};
inline constexpr Family kMsearchLate{
    "frond_broker_msearch_lines_late_total",
    "Lines of msearch requests that were not begun before the request's time was over."};
inline constexpr Family kMsearchAbandoned{"frond_broker_msearches_abandoned_total",
                                          "msearch requests whose client left before the answer."};
inline constexpr Family kCacheHits{"frond_broker_cache_hits_total", "Searches answered from the result cache."};
inline constexpr Family kCacheMisses{"frond_broker_cache_misses_total", "Searches not found in the result cache."};
inline constexpr Family kCacheCoalesced{"frond_broker_cache_coalesced_total",
                                        "Searches that shared an equal one's evaluation."};
inline constexpr Family kCacheEvictions{"frond_broker_cache_evictions_total", "Answers evicted to stay in budget."};
inline constexpr Family kCacheStored{"frond_broker_cache_stored_total", "Answers stored."};
inline constexpr Family kCacheTooLarge{"frond_broker_cache_too_large_total", "Answers too large to be kept."};
inline constexpr Family kCacheBytes{"frond_broker_cache_bytes", "Bytes that the result cache charges itself."};
inline constexpr Family kCacheLimit{"frond_broker_cache_limit_bytes", "Budget of the result cache."};
inline constexpr Family kCacheEntries{"frond_broker_cache_entries", "Answers in the result cache."};
inline constexpr Family kLeafRequests{"frond_broker_leaf_requests_total", "Requests sent to leaves, by kind."};
inline constexpr Family kLeafFailures{"frond_broker_leaf_request_failures_total",
                                      "Requests to leaves without a usable reply, by kind."};
inline constexpr Family kFailovers{"frond_broker_failovers_total", "Requests repeated on another replica."};
inline constexpr Family kHedges{"frond_broker_hedges_total", "Requests sent to a second replica: the first was slow."};
inline constexpr Family kHedgesWithheld{"frond_broker_hedges_withheld_total",
                                        "Requests not sent to a second replica though the first was slow, by reason."};
inline constexpr Family kLeafCancels{"frond_broker_leaf_cancels_total",
                                     "Requests that a leaf was told to stop: nobody waited for them any more."};
inline constexpr Family kLeaves{"frond_broker_leaves", "Leaves known, by state."};
inline constexpr Family kLeavesUnlisted{"frond_broker_leaves_unlisted",
                                        "Of those, leaves that answer though the last look-up did not name them."};
inline constexpr Family kHandshakeFailures{"frond_broker_leaf_handshake_failures_total",
                                           "Connections to leaves that failed in the handshake, by reason."};
inline constexpr Family kLeafQueue{"frond_broker_leaf_requests_in_flight", "Requests that leaves have not answered."};
inline constexpr Family kGeneration{"frond_broker_generation", "The generation served; 0 for none."};
inline constexpr Family kPartitions{"frond_broker_partitions", "Partitions of the generation served."};
inline constexpr Family kCovered{"frond_broker_partitions_covered", "Of those, partitions with a healthy leaf."};
inline constexpr Family kLoopAge{"frond_broker_loop_age_seconds",
                                 "How long ago each loop that the broker cannot do without last turned."};
inline constexpr Family kReady{"frond_broker_ready", "1 while /readyz says so."};
inline constexpr Family kHttpRequests{"frond_http_requests_total", "HTTP requests answered, by route and status."};
inline constexpr Family kHttpTime{"frond_http_request_duration_seconds", "HTTP requests, by route."};
inline constexpr Family kHttpConnections{"frond_http_connections", "Open HTTP connections, by listener."};
inline constexpr Family kHttpConnectionsLimit{"frond_http_connections_limit",
                                              "HTTP connections that may be open, by listener."};
inline constexpr Family kHttpOfAddress{
    "frond_http_connections_of_an_address",
    "Open HTTP connections of the client address that has most, by listener; 64 bits of an IPv6 address count."};
inline constexpr Family kHttpOfAddressLimit{"frond_http_connections_of_an_address_limit",
                                            "What these may be, by listener."};
inline constexpr Family kHttpBodyBytes{"frond_http_body_bytes",
                                       "Bytes of request bodies that are on their way in, by listener."};
inline constexpr Family kHttpBodyLimit{"frond_http_body_limit_bytes", "What these may be, by listener."};
inline constexpr Family kHttpUnsentBytes{"frond_http_unsent_bytes",
                                         "Bytes of answers that clients have not taken yet, by listener."};
inline constexpr Family kHttpUnsentLimit{"frond_http_unsent_limit_bytes", "What these may be, by listener."};
inline constexpr Family kHttpRefused{"frond_http_refused_total",
                                     "What clients were refused to keep room for others, by listener and reason."};
inline constexpr Family kHttpClosed{"frond_http_closed_total",
                                    "Connections that the server ended for its client's slowness or to make room, by "
                                    "listener and reason."};
inline constexpr Family kTlsExpiry{"frond_broker_tls_certificate_expiry_timestamp_seconds",
                                   "When the TLS certificate in use ends, in seconds since 1970."};
inline constexpr Family kTlsReloads{
    "frond_broker_tls_certificate_reloads_total",
    "Changes of the TLS certificate's files, by outcome: ok, or failed (the old stays)."};
inline constexpr Family kTlsHandshakeFailures{"frond_broker_tls_handshake_failures_total",
                                              "TLS handshakes that came to nothing, by reason."};
}  // namespace families

// What a search ended in.
enum class Outcome { kWhole, kDegraded, kInvalid, kOverloaded, kUnavailable, kDeadline, kAbandoned };
enum class CacheUse { kHit, kMiss, kBypass };
constexpr std::string_view name_of(CacheUse use) {
  constexpr std::string_view kNames[] = {"hit", "miss", "bypass"};
  return kNames[static_cast<int>(use)];
}

struct SearchMetrics {
  explicit SearchMetrics(metrics::Registry& registry);
  void count(Outcome outcome, CacheUse use, double seconds);
  // One that was not answered by what it asked for, so that its time says nothing.
  void count(Outcome outcome);

 private:
  std::array<metrics::Counter, 7> outcomes_;
  std::array<metrics::Histogram, 3> times_;
};

// For http::Server::Config::on_answer. Io thread.
class HttpMetrics {
 public:
  explicit HttpMetrics(metrics::Registry& registry) : registry_(registry) {}
  void count(std::string_view route, int status, double seconds);

 private:
  struct Route {
    metrics::Counter requests;
    metrics::Histogram time;
  };
  metrics::Registry& registry_;
  std::map<std::pair<std::string_view, int>, Route> routes_;  // routes are literals
};

// Exports what a server counts, under its listener's name. The server outlives the registry's last exposition.
void export_server(metrics::Registry& registry, const frond::http::Server& server, const std::string& listener);

}  // namespace frond::broker::http
