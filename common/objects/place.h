#pragma once
// Which bucket of which server, and how it is reached.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/net/address.h"
#include "common/objects/counts.h"

namespace frond::objects {

// Limits of one operation, however many requests it takes.
struct RetryLimits {
  unsigned attempts = 8;
  std::chrono::milliseconds time{120'000};  // no attempt begins later
  // As long as the store has never answered: no attempt begins later, and no connect takes longer.
  unsigned first_answer_s = 15;
  // Bytes that may be moved in vain: an operation on n bytes moves at most n + max(n, this) more.
  std::uint64_t wasted_bytes = 16u << 20;
  std::chrono::milliseconds first_pause{100}, longest_pause{5'000};  // doubled each time; a random part of it is waited
};

// As configured by flags.
struct Access {
  std::string endpoint;  // "http[s]://host[:port]"; empty: Amazon's for the region
  std::string region = "us-east-1";
  std::string path_style =
      "auto";  // "on": the bucket is in the path; "off": in the host's name; auto: on with an endpoint
  std::filesystem::path credentials_file;  // empty: the environment
  std::string tls_ca;                      // PEM file of authorities for https; empty: the system's
  std::uint64_t part_bytes = 8u << 20;     // of a ranged GET and of an upload's parts; at least kMinPartBytes
  unsigned connections = 4;                // ranges or parts of one file at a time; each holds one part in memory
  std::chrono::milliseconds connect_timeout{5'000};
  std::uint64_t min_bytes_per_second = 16u << 10;  // a request ends if it moves fewer over a whole window
  std::chrono::seconds window{20};
  RetryLimits retries;
  // How old an object must be, by the server's clock, before it can be taken for what a dead writer left.
  std::chrono::seconds leftover_age{24 * 3600};
  std::shared_ptr<Counts> counts;  // where requests are counted; null: each ObjectStore counts its own
  std::chrono::seconds lease{60};  // a writer that is silent for so long is taken for dead
  std::stop_token stop;            // ends every operation within about a second (kUnavailable)
};

inline constexpr std::uint64_t kMinPartBytes = 5u << 20;  // S3 takes no smaller part, but for the last

inline constexpr std::string_view kObjectScheme = "s3://";
bool is_object_place(std::string_view place);  // begins with s3://

// A bucket, and the prefix of all keys in it.
struct Place {
  net::Url server;   // its path is empty; of virtual-host style, its host begins with the bucket
  std::string host;  // header Host: without a port that the scheme implies
  std::string bucket;
  std::string root;    // "/bucket/" or "/"
  std::string prefix;  // "" or "a/b/"
};

// "s3://bucket[/prefix]". kInvalid: another shape; a bucket that is not 3 to 63 of [a-z0-9.-]; a prefix that is not
// names of [A-Za-z0-9._-], not beginning with a dot, joined by single slashes; a bad endpoint.
Result<Place> parse_place(std::string_view text, const Access& access);

// When to try a request again: pauses that double, a random part of each of them waited ("full jitter"), and bounds on
// attempts, time and bytes moved in vain. Until a store has answered for the first time, the time is shorter.

using Stopping = std::function<bool()>;  // true: give up; empty: never

// The attempts of one operation. One thread.
class Retry {
 public:
  // `bytes`: what the operation moves if all goes well. `first`: the store has never answered.
  Retry(const RetryLimits& limits, std::uint64_t bytes, Stopping stopping, bool first);

  // The store has answered: from now on the time is that of the limits.
  void answered() { end_ = begun_ + limits_.time; }
  // After an attempt that failed, and moved `moved` bytes in vain: waits, at least `at_least`, and gives true if there
  // may be another. False: a bound is reached, or `stopping` said so.
  bool again(std::uint64_t moved, std::chrono::milliseconds at_least = {});
  unsigned attempts() const { return attempts_; }  // that were made
  std::chrono::milliseconds left() const;          // of the time; at least 1 ms
  std::chrono::milliseconds spent() const;         // since the operation began
  bool stopped() const { return bound_ == kStopped; }
  const char* bound() const { return bound_; }  // why again() gave false: "8 attempts"

 private:
  static constexpr const char* kStopped = "stopped";
  const RetryLimits limits_;
  const Stopping stopping_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point end_;
  const std::uint64_t max_wasted_;
  std::uint64_t wasted_ = 0;
  unsigned attempts_ = 1;
  const char* bound_ = "";
};

}  // namespace frond::objects
