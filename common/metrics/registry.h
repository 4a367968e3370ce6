#pragma once
// Metrics for Prometheus. Each process has one Registry, made in main() and passed in; its parts ask it for handles
// once and keep them. Only this folder includes prometheus-cpp.
//
// Names are frond_<process>_<what>_<unit>; units are _seconds and _bytes; counters end in _total (given here with it).
// A label has few values, all known in advance: never query text, never text chosen by a peer.
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/log.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace frond::metrics {

// A metric's name and HELP text. Each process has its families as constants in one header.
struct Family {
  const char* name;
  const char* help;
};
using Labels = std::vector<std::pair<std::string, std::string>>;

// Handles: copyable, thread-safe, valid as long as their Registry. A default-constructed handle does nothing, so that
// parts can be used without a registry.
class Counter {
 public:
  Counter() = default;
  void add(double amount = 1);  // amount >= 0
  double value() const;         // 0 without a registry

 private:
  friend class Registry;
  explicit Counter(prometheus::Counter* to) : to_(to) {}
  prometheus::Counter* to_ = nullptr;
};

// A counter of what is counted elsewhere: at each scrape it is brought up to that count.
class FollowingCounter {
 public:
  FollowingCounter() = default;
  explicit FollowingCounter(Counter counter) : counter_(counter) {}
  // Raises the counter to `count`. A lower one leaves it as it is: Prometheus's counters never go down.
  void follow(double count);
  template <std::integral Count>
  void follow(Count count) {
    follow(static_cast<double>(count));
  }
  double value() const { return counter_.value(); }

 private:
  Counter counter_;
};

class Gauge {
 public:
  Gauge() = default;
  void set(double value);
  void add(double amount);  // may be negative
  double value() const;

 private:
  friend class Registry;
  explicit Gauge(prometheus::Gauge* to) : to_(to) {}
  prometheus::Gauge* to_ = nullptr;
};

class Histogram {
 public:
  Histogram() = default;
  void observe(double value);

 private:
  friend class Registry;
  explicit Histogram(prometheus::Histogram* to) : to_(to) {}
  prometheus::Histogram* to_ = nullptr;
};

// Upper bounds of histogram buckets: 100 µs to 10 s, in seconds.
std::span<const double> latency_seconds();

class Registry {
 public:
  // Also exports frond_build_info{version} and the process_* metrics, read from /proc at each scrape.
  explicit Registry(std::string_view version);
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // The same family and labels give the same metric. Any thread.
  Counter counter(const Family& family, const Labels& labels = {});
  FollowingCounter following_counter(const Family& family, const Labels& labels = {});
  Gauge gauge(const Family& family, const Labels& labels = {});
  Histogram histogram(const Family& family, std::span<const double> buckets, const Labels& labels = {});

  // Removes all metrics that have this label; their handles are not used any more. Any thread.
  void remove(std::string_view label, std::string_view value);

  // Registers a function that is called before each exposition, on its thread, to set gauges and following counters.
  // What the function uses must outlive the last exposition.
  void before_scrape(std::function<void()> update);

  // All metrics in text format 0.0.4 (Content-Type: kContentType). Any thread; concurrent calls wait for each other.
  std::string exposition();

 private:
  struct State;
  std::unique_ptr<State> state_;
};
// Exports how many lines the log lost. `log` must outlive the registry's last exposition.
void export_log(Registry& registry, const Logger& log);

inline constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace frond::metrics
