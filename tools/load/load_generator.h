#pragma once
// Puts load on a broker from one thread: many keep-alive connections on one event loop.
//
// Open loop: requests are due at the instants of a Poisson process of the given rate, whatever the broker does. If
// every connection is busy, a request waits for one, and its latency counts from the instant when it was due. So a slow
// broker cannot make the generator send less, and the percentiles are free of coordinated omission (G. Tene's term).
// Closed loop: each connection sends the next request as soon as it has its answer, and latency counts from the send.
// Under TLS a connection takes requests after its handshake; every handshake is a full one.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/net/address.h"
#include "common/tls/certificates.h"

namespace frond::tools {

// Counts durations from a nanosecond to centuries in fixed memory. Each power of two has 128 buckets, so a bucket is at
// most 0.8 % of its value wide.
class Histogram {
 public:
  void add(std::uint64_t value) {
    ++counts_[bucket_of(value)];
    ++count_;
    sum_ += static_cast<double>(value);
    max_ = std::max(max_, value);
  }
  std::uint64_t count() const { return count_; }
  std::uint64_t max() const { return max_; }
  double mean() const { return count_ ? sum_ / static_cast<double>(count_) : 0; }
  // The smallest value that `fraction` (0..1) of all values do not exceed, rounded up to its bucket's end; 0 if empty.
  std::uint64_t quantile(double fraction) const {
    if (count_ == 0) return 0;
    const auto wanted = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(count_) - 1e-9)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if ((seen += counts_[i]) >= wanted) return std::min(end_of(i), max_);
    return max_;
  }

 private:
  static constexpr unsigned kBits = 7;
  // Values below 256 have a bucket each. For larger ones the leading 8 bits choose the bucket.
  static std::size_t bucket_of(std::uint64_t value) {
    const unsigned width = static_cast<unsigned>(std::bit_width(value));
    if (width <= kBits + 1) return value;
    const unsigned shift = width - (kBits + 1);
    return (std::size_t{shift} << kBits) + (value >> shift);
  }
  static std::uint64_t end_of(std::size_t bucket) {
    if (bucket < (1u << (kBits + 1))) return bucket;
    const unsigned shift = static_cast<unsigned>(bucket >> kBits) - 1;
    const std::uint64_t first = (bucket & ((1u << kBits) - 1)) + (1u << kBits);
    return (first << shift) + ((std::uint64_t{1} << shift) - 1);
  }
  std::array<std::uint64_t, (64 - kBits + 1) << kBits> counts_{};
  std::uint64_t count_ = 0, max_ = 0;
  double sum_ = 0;
};

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
  Histogram of_answers;     // of these, those with status 200
  double queries_per_second() const { return seconds > 0 ? double(in_window) / seconds : 0; }
};

// `requests`: whole HTTP requests, sent in turn. kUnavailable: at the start the broker cannot be reached or is not
// trusted.
Result<LoadReport> generate_load(const net::Url& url, const std::vector<std::string>& requests,
                                 const LoadOptions& options);

// The output of `frond load`: lines for a person to read.
std::string to_text(const LoadReport& report);
// One JSON object on one line: throughput, latency in milliseconds, statuses, errors.
std::string to_json(const LoadReport& report, const LoadOptions& options);

}  // namespace frond::tools
