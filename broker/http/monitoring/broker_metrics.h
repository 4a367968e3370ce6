#pragma once
// Every metric family of frond-broker, and the handles that its parts count with.
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "common/metrics/registry.h"

namespace frond::broker::http {

namespace families {
using metrics::Family;
inline constexpr Family kSearches{"frond_broker_searches_total", "Searches answered, by outcome."};
inline constexpr Family kSearchTime{"frond_broker_search_duration_seconds",
                                    "From a search's arrival to its answer, by what the cache did."};
inline constexpr Family kBegunAnew{"frond_broker_searches_begun_anew_total",
                                   "Searches asked again of another generation: theirs had lost leaves meanwhile."};
inline constexpr Family kSlow{"frond_broker_slow_searches_total", "Searches that took as long as --slow-query-log."};
inline constexpr Family kBroken{"frond_broker_broken_promises_total",
                                "Promises of docs/resiliency.md that were found broken, by their ids there; each is a "
                                "defect, unless the process did not run for a second."};
inline constexpr Family kSpans{"frond_broker_spans_total",
                               "Spans of traces that are kept (--otlp), by outcome: sent, dropped (no room, "
                               "--otlp-buffer), or failed (the collector did not take them)."};
inline constexpr Family kInFlight{"frond_broker_searches_in_flight", "Searches being evaluated by leaves."};
inline constexpr Family kInFlightLimit{"frond_broker_searches_in_flight_limit",
                                       "Searches that may be evaluated at a time at most (--max-in-flight)."};
inline constexpr Family kPlaces{"frond_broker_searches_in_flight_allowed",
                                "Searches that may be evaluated at a time now, so that they are answered in half of "
                                "their time; more are refused with 429."};
inline constexpr Family kMsearchInFlight{"frond_broker_msearch_searches_in_flight",
                                         "Lines of msearch requests being evaluated by leaves."};
inline constexpr Family kMsearchInFlightLimit{"frond_broker_msearch_searches_in_flight_limit",
                                              "Lines of msearch requests that may be evaluated at a time; more wait."};
inline constexpr Family kCostlyInFlight{"frond_broker_costly_searches_in_flight",
                                        "Searches being evaluated that cost many times the usual."};
inline constexpr Family kCostlyInFlightLimit{"frond_broker_costly_searches_in_flight_limit",
                                             "Costly searches that may be evaluated at a time."};
inline constexpr Family kWaiting{"frond_broker_searches_waiting",
                                 "Searches and lines of msearch requests that wait for a place."};
inline constexpr Family kClients{"frond_broker_clients",
                                 "Clients with searches that are evaluated or wait for a place."};
inline constexpr Family kMsearches{"frond_broker_msearches_in_flight", "msearch requests at work."};
inline constexpr Family kMsearchesLimit{"frond_broker_msearches_in_flight_limit",
                                        "msearch requests that may be at work at a time; more are refused with 429."};
inline constexpr Family kChangesInFlight{
    "frond_broker_changes_in_flight",
    "Requests that are passed on to the indexer's service (--indexer-service) and not answered yet."};
inline constexpr Family kMsearchLate{
    "frond_broker_msearch_lines_late_total",
    "Lines of msearch requests that were not started before the request's time was over."};
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
inline constexpr Family kKnownTexts{"frond_broker_known_texts_bytes",
                                    "Bytes of search requests that the result cache knows by their text."};
inline constexpr Family kKnownTextsLimit{"frond_broker_known_texts_limit_bytes",
                                         "Limit of frond_broker_known_texts_bytes."};
inline constexpr Family kCacheEntries{"frond_broker_cache_entries", "Answers in the result cache."};
inline constexpr Family kLeafRequests{"frond_broker_leaf_requests_total", "Requests sent to leaves, by kind."};
inline constexpr Family kLeafFailures{"frond_broker_leaf_request_failures_total",
                                      "Requests to leaves without a usable reply, by kind."};
inline constexpr Family kFailovers{"frond_broker_failovers_total", "Requests repeated on another replica."};
inline constexpr Family kHedges{"frond_broker_hedges_total", "Requests sent to a second replica: the first was slow."};
inline constexpr Family kHedgesWithheld{"frond_broker_hedges_withheld_total",
                                        "Requests not sent to a second replica though the first was slow, by reason."};
inline constexpr Family kLeafCancels{"frond_broker_leaf_cancels_total",
                                     "Requests cancelled at a leaf: their reply was no longer wanted."};
inline constexpr Family kLeaves{"frond_broker_leaves", "Leaves known, by state."};
inline constexpr Family kLeavesUnlisted{"frond_broker_leaves_unlisted",
                                        "Leaves that answer but were not in the last look-up."};
inline constexpr Family kHandshakeFailures{"frond_broker_leaf_handshake_failures_total",
                                           "Connections to leaves that failed in the handshake, by reason."};
inline constexpr Family kLeafQueue{"frond_broker_leaf_requests_in_flight",
                                   "Requests that leaves have not answered yet."};
inline constexpr Family kGeneration{"frond_broker_generation", "The generation served; 0 for none."};
inline constexpr Family kPartitions{"frond_broker_partitions", "Partitions of the generation served."};
inline constexpr Family kCovered{"frond_broker_partitions_covered",
                                 "Partitions of the generation served that have a healthy leaf."};
inline constexpr Family kReplicasLeast{"frond_broker_partition_replicas_least",
                                       "Healthy leaves of the partition that has the fewest."};
inline constexpr Family kReplicasWanted{
    "frond_broker_partition_replicas_wanted",
    "Leaves that each partition is meant to have: --replicas, or as many as the partition with the most."};
inline constexpr Family kLoopAge{"frond_broker_loop_age_seconds",
                                 "Seconds since each loop that the broker needs last turned."};
inline constexpr Family kReady{"frond_broker_ready", "1 while /readyz is 200."};
inline constexpr Family kTlsExpiry{"frond_broker_tls_certificate_expiry_timestamp_seconds",
                                   "When the TLS certificate in use ends, in seconds since 1970."};
inline constexpr Family kTlsReloads{
    "frond_broker_tls_certificate_reloads_total",
    "Changes of the TLS certificate's files, by outcome: ok, or failed (the old certificate stays in use)."};
inline constexpr Family kTlsHandshakeFailures{"frond_broker_tls_handshake_failures_total",
                                              "TLS handshakes that failed, by reason."};
}  // namespace families

// How a search ended; the label of frond_broker_searches_total. kDegraded: some partitions were unsearched.
enum class Outcome { kWhole, kDegraded, kInvalid, kOverloaded, kUnavailable, kDeadline, kAbandoned };
constexpr std::string_view name_of(Outcome outcome) {
  constexpr std::string_view kNames[] = {"whole",       "degraded", "invalid",  "overloaded",
                                         "unavailable", "deadline", "abandoned"};
  return kNames[static_cast<int>(outcome)];
}
enum class CacheUse { kHit, kMiss, kBypass };
constexpr std::string_view name_of(CacheUse use) {
  constexpr std::string_view kNames[] = {"hit", "miss", "bypass"};
  return kNames[static_cast<int>(use)];
}

struct SearchMetrics {
  explicit SearchMetrics(metrics::Registry& registry) : begun_anew(registry.counter(families::kBegunAnew)) {
    for (std::size_t i = 0; i < outcomes_.size(); ++i)
      outcomes_[i] =
          registry.counter(families::kSearches, {{"outcome", std::string(name_of(static_cast<Outcome>(i)))}});
    for (std::size_t i = 0; i < times_.size(); ++i)
      times_[i] = registry.histogram(families::kSearchTime, metrics::latency_seconds(),
                                     {{"cache", std::string(name_of(static_cast<CacheUse>(i)))}});
  }
  void count(Outcome outcome, CacheUse use, double seconds) {
    count(outcome);
    times_[static_cast<std::size_t>(use)].observe(seconds);
  }
  // For a search that ended without its own answer: its duration is not recorded.
  void count(Outcome outcome) { outcomes_[static_cast<std::size_t>(outcome)].add(); }

  metrics::Counter begun_anew;

 private:
  std::array<metrics::Counter, 7> outcomes_;
  std::array<metrics::Histogram, 3> times_;
};

}  // namespace frond::broker::http
