#pragma once
// Load on a broker from one thread: many keep-alive connections on one epoll loop, replies read by hand.
//
// Open loop: requests are due at the instants of a Poisson process of the given rate, whatever the broker does. A
// request that finds every connection busy waits for one, and its latency counts from the instant it was due: a slow
// broker can not make the generator ask less, so the percentiles are free of coordinated omission (G. Tene's term).
// Under TLS a connection is open for requests when its handshake is done; every one is a full handshake.
// Closed loop: each connection asks again as soon as it has its answer; latency counts from the send.
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/net/address.h"
#include "common/tls/trust.h"
#include "tools/histogram.h"

namespace frond::tools {

struct LoadOptions {
  double rate = 0;                      // requests a second, open loop; 0: closed loop
  unsigned connections = 1;             // closed loop: the concurrency; open loop: the most that may be open
  std::chrono::nanoseconds warmup{0};   // not recorded
  std::chrono::nanoseconds seconds{0};  // recorded
  std::chrono::nanoseconds drain{0};    // how long answers are awaited after the end
  std::uint64_t queries_per_request = 1;
  std::uint64_t seed = 1;                   // of the arrivals
  std::shared_ptr<const tls::Trust> trust;  // under https; null: plain
};

struct LoadReport {
  double seconds = 0;           // recorded
  std::uint64_t requests = 0;   // due (open loop) or sent (closed loop) while recording
  std::uint64_t answers = 0;    // of those, with status 200
  std::uint64_t in_window = 0;  // queries answered while recording, whenever they were sent
  std::uint64_t queries_per_request = 1;
  std::uint64_t cache_hits = 0;         // queries answered from the broker's cache
  std::uint64_t degraded = 0;           // queries that some partition did not answer
  std::uint64_t refused = 0;            // queries of an msearch that got a problem document in place of an answer
  std::uint64_t connection_errors = 0;  // refused, reset, closed early, or not HTTP
  std::uint64_t unanswered = 0;  // no answer by the end of the drain; in the histogram with the time they had waited
  std::map<int, std::uint64_t> statuses;
  std::string first_error;  // what the first connection error said
  Histogram latency;        // nanoseconds
  double queries_per_second() const { return seconds > 0 ? double(in_window) / seconds : 0; }
};

// `requests`: whole HTTP requests, sent in turn. kUnavailable: the broker can't be reached, or not trusted, at the
// start.
Result<LoadReport> generate_load(const net::Url& url, const std::vector<std::string>& requests,
                                 const LoadOptions& options);

}  // namespace frond::tools
