#pragma once
// Spans of the traces that are kept, sent to a collector: OTLP over HTTP, as JSON
// (https://opentelemetry.io/docs/specs/otlp/#otlphttp).
//
// One thread sends. Whoever adds spans only appends them to those that wait, of which there is a bounded number of
// bytes; more are dropped and counted. So a collector that is slow, hangs, refuses or is away costs searches nothing.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/complaint.h"
#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "common/http/server/server.h"
#include "common/http/trace.h"
#include "common/net/address.h"
#include "common/tls/certificates.h"

namespace frond::broker::http {

struct Span {
  enum class Kind { kInternal = 1, kServer = 2, kClient = 3 };  // as OTLP numbers them
  std::string name;
  Kind kind = Kind::kInternal;
  std::uint64_t id = 0, parent = 0;  // parent 0: none
  Instant begin, end;
  std::string error;  // empty: it went well
  std::vector<std::pair<std::string_view, std::variant<std::string, std::uint64_t>>> attributes;
};

// Thread-safe.
class SpanExport {
 public:
  struct Config {
    std::string_view collector;                 // its URL; spans go to its path and /v1/traces
    double share = 0;                           // of the requests whose clients don't say whether their trace is kept
    std::size_t most_bytes = 4 << 20;           // of spans that wait
    std::string_view version, instance;         // of this process
    std::chrono::milliseconds patience{3'000};  // with each step of the collector
    std::chrono::milliseconds longest{10'000};  // of a request, whatever the collector sends meanwhile
    std::chrono::milliseconds pause{1'000};     // between requests; after failures up to kLongestPause
    std::chrono::milliseconds at_end{1'000};    // for the request under way and what waits then
  };
  static constexpr std::chrono::milliseconds kLongestPause{30'000};

  // `log` outlives it. kInvalid: the URL; kUnavailable.
  static Result<std::unique_ptr<SpanExport>> create(const Config& config, Logger* log);
  // Goes on with the request under way and sends what waits, in Config::at_end for both; what is not sent by then has
  // failed. Only the system's resolver can't be interrupted: a collector's name that is being looked up is waited for,
  // as long as its resolv.conf says (`timeout` x `attempts` for each server). It is not looked up again after that
  // time.
  ~SpanExport();

  // As the request's client has it (W3C's flag `sampled`); of requests without a traceparent a share.
  bool keeps(const frond::http::Trace& trace) const { return trace.parent != 0 ? trace.sampled : sample_.draws(trace); }
  void add(const frond::http::Trace& trace, std::span<const Span> spans);
  // The span of a request that is answered now, if its trace is kept.
  void add(const frond::http::AnsweredRequest& request, Instant now);

  struct Counts {
    std::uint64_t sent = 0, dropped = 0, failed = 0;  // spans; for want of room; that the collector did not take
  };
  Counts counts() const;

 private:
  // The head and spans as JSON, with commas between them. Has room for as much as may wait, so that nobody waits for it
  // to grow.
  struct Batch {
    std::string text;
    std::uint64_t spans = 0;
  };
  SpanExport(const Config& config, net::Url url, std::shared_ptr<const tls::Trust> trust, files::Descriptor timer,
             Logger* log);
  void run(const std::stop_token& stop);
  // For a pause, or until half of the room is taken.
  void wait(const std::stop_token& stop, std::chrono::milliseconds pause, bool until_half);
  bool half_full() const FROND_REQUIRES(mutex_) { return waiting_.text.size() >= head_.size() + most_bytes_ / 2; }
  // What waits is sent. False: the collector did not take it.
  bool send(std::chrono::milliseconds patience);
  std::string error_of_sending(std::chrono::milliseconds patience);  // empty: it went well
  void set_timer(std::chrono::milliseconds time) const;
  bool time_is_over() const;

  const std::size_t most_bytes_;
  const std::chrono::milliseconds patience_, longest_, pause_, at_end_;
  const net::Url url_;
  const std::shared_ptr<const tls::Trust> trust_;  // null: plain HTTP
  const std::string head_;                         // of each request, up to the spans
  const frond::http::Sample sample_;
  Complaint complaint_;
  const files::Descriptor timer_;  // readable when what is under way has to end
  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  Batch waiting_ FROND_GUARDED_BY(mutex_);
  Counts counts_ FROND_GUARDED_BY(mutex_);
  bool ending_ FROND_GUARDED_BY(mutex_) = false;  // the timer is set for the last time
  Batch sent_;                                    // the thread's
  std::jthread thread_;
};

}  // namespace frond::broker::http
