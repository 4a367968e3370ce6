#pragma once
// Puts load on a broker from one thread: many keep-alive connections on one event loop.
//
// Open loop: requests are due at the instants of a Poisson process of the given rate, whatever the broker does. If
// every connection is busy, a request waits for one, and its latency counts from the instant when it was due. So a slow
// broker cannot make the generator send less, and the percentiles are free of coordinated omission (G. Tene's term).
// Closed loop: each connection sends the next request as soon as it has its answer, and latency counts from the send.
// Under TLS a connection takes requests after its handshake; every handshake is a full one.
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/net/address.h"
#include "common/tls/certificates.h"
#include "tools/load/histogram.h"

namespace frond::tools {

struct LoadOptions {
  double rate = 0;                      // requests per second, open loop; 0: closed loop
  unsigned connections = 1;             // closed loop: the concurrency; open loop: the max
  std::chrono::nanoseconds warmup{0};   // not recorded
  std::chrono::nanoseconds seconds{0};  // recorded
  std::chrono::nanoseconds drain{0};    // max wait for answers after the end
  std::uint64_t queries_per_request = 1;
  std::uint64_t seed = 1;                   // for the arrivals
  std::shared_ptr<const tls::Trust> trust;  // null: plain
};

struct LoadReport {
  double seconds = 0;           // recorded
  std::uint64_t requests = 0;   // due (open loop) or sent (closed loop) while recording
  std::uint64_t answers = 0;    // of these requests, those with status 200
  std::uint64_t in_window = 0;  // queries answered while recording, even if sent before
  std::uint64_t queries_per_request = 1;
  std::uint64_t cache_hits = 0;         // queries answered from the broker's cache
  std::uint64_t unsearched = 0;         // queries with an unsearched partition
  std::uint64_t refused = 0;            // queries of an msearch answered with a problem document
  std::uint64_t connection_errors = 0;  // refused, reset, closed early, or not HTTP
  std::uint64_t unanswered = 0;         // no answer by the end of the drain; `latency` has their wait so far
  std::map<int, std::uint64_t> statuses;
  std::string first_error;  // message of the first connection error
  Histogram latency;        // nanoseconds
  double queries_per_second() const { return seconds > 0 ? double(in_window) / seconds : 0; }
};

// `requests`: whole HTTP requests, sent in turn. kUnavailable: at the start the broker cannot be reached or is not
// trusted.
Result<LoadReport> generate_load(const net::Url& url, const std::vector<std::string>& requests,
                                 const LoadOptions& options);

}  // namespace frond::tools
