#pragma once
// What a process counts, and how it tells Prometheus. One Registry a process, made in main() and passed in; a part asks
// it for handles once and keeps them. prometheus-cpp stays inside this folder.
//
// Names are frond_<process>_<what>_<unit>; units are _seconds and _bytes; counters end in _total (given here with it).
// Labels have few, known values: never query text, never a peer's choice.
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

// A metric's name and HELP text. Each process's families are constants in one header: leaf_families.h, and so on.
struct Family {
  const char* name;
  const char* help;
};
using Labels = std::vector<std::pair<std::string, std::string>>;

// Handles: copyable, thread-safe, valid as long as their Registry. One that was default-constructed counts nothing, so
// that parts can be used without a registry.
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

// Upper bounds. Seconds: 100 µs to 10 s, for what a query does. Bytes: 1 KiB to 1 GiB in steps of 4.
std::span<const double> latency_seconds();
std::span<const double> size_bytes();

class Registry {
 public:
  // Also exports frond_build_info{version} and the process_* metrics, read from /proc at each scrape.
  explicit Registry(std::string_view version);
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // The same family and labels give the same metric. Any thread.
  Counter counter(const Family& family, const Labels& labels = {});
  Gauge gauge(const Family& family, const Labels& labels = {});
  Histogram histogram(const Family& family, std::span<const double> buckets, const Labels& labels = {});

  // Called before each exposition, on its thread: sets gauges from what they measure. What it touches must outlive the
  // registry's last exposition.
  void before_scrape(std::function<void()> update);

  // Text format 0.0.4; Content-Type: kContentType. Any thread, one at a time inside.
  std::string exposition();

 private:
  struct State;
  std::unique_ptr<State> state_;
};
// Exports how many of the log's lines nobody will read. `log` outlives the registry's last exposition.
void export_log(Registry& registry, const Logger& log);

inline constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace frond::metrics
