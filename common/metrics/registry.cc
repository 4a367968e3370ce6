#include "common/metrics/registry.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>

#include "common/base/mutex.h"
#include "common/metrics/process.h"

namespace frond::metrics {

void Counter::add(double amount) {
  if (to_ != nullptr) to_->Increment(amount);
}
double Counter::value() const { return to_ != nullptr ? to_->Value() : 0; }

void FollowingCounter::follow(double count) {
  const double behind = count - counter_.value();
  if (behind > 0) counter_.add(behind);
}

void Gauge::set(double value) {
  if (to_ != nullptr) to_->Set(value);
}
void Gauge::add(double amount) {
  if (to_ != nullptr) to_->Increment(amount);
}
double Gauge::value() const { return to_ != nullptr ? to_->Value() : 0; }

void Histogram::observe(double value) {
  if (to_ != nullptr) to_->Observe(value);
}

std::span<const double> latency_seconds() {
  static constexpr double kBounds[] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                       0.05,   0.1,     0.25,   0.5,   1,      2.5,   5,    10};
  return kBounds;
}

std::span<const double> size_bytes() {
  static constexpr double kBounds[] = {0x1p10, 0x1p12, 0x1p14, 0x1p16, 0x1p18, 0x1p20,
                                       0x1p22, 0x1p24, 0x1p26, 0x1p28, 0x1p30};
  return kBounds;
}

struct Registry::State {
  prometheus::Registry registry{prometheus::Registry::InsertBehavior::Merge};
  ProcessCollector process;
  Mutex mutex;
  std::vector<std::function<void()>> updates FROND_GUARDED_BY(mutex);
};

namespace {
prometheus::Labels labels_of(const Labels& labels) { return {labels.begin(), labels.end()}; }
}  // namespace

Registry::Registry(std::string_view version) : state_(std::make_unique<State>()) {
  gauge({"frond_build_info", "Always 1; the label tells the version."}, {{"version", std::string(version)}}).set(1);
}
Registry::~Registry() = default;

Counter Registry::counter(const Family& family, const Labels& labels) {
  auto& made = prometheus::BuildCounter().Name(family.name).Help(family.help).Register(state_->registry);
  return Counter(&made.Add(labels_of(labels)));
}

FollowingCounter Registry::following_counter(const Family& family, const Labels& labels) {
  return FollowingCounter(counter(family, labels));
}

Gauge Registry::gauge(const Family& family, const Labels& labels) {
  auto& made = prometheus::BuildGauge().Name(family.name).Help(family.help).Register(state_->registry);
  return Gauge(&made.Add(labels_of(labels)));
}

Histogram Registry::histogram(const Family& family, std::span<const double> buckets, const Labels& labels) {
  auto& made = prometheus::BuildHistogram().Name(family.name).Help(family.help).Register(state_->registry);
  return Histogram(
      &made.Add(labels_of(labels), prometheus::Histogram::BucketBoundaries(buckets.begin(), buckets.end())));
}

void Registry::before_scrape(std::function<void()> update) {
  const MutexLock lock(state_->mutex);
  state_->updates.push_back(std::move(update));
}

void export_log(Registry& registry, const Logger& log) {
  static constexpr Family kDropped{"process_log_lines_dropped_total",
                                   "Log lines that were dropped: stderr was not read in time."};
  registry.before_scrape(
      [&log, dropped = registry.following_counter(kDropped)]() mutable { dropped.follow(log.dropped()); });
}

std::string Registry::exposition() {
  const MutexLock lock(state_->mutex);
  for (const auto& update : state_->updates) update();
  std::vector<prometheus::MetricFamily> families = state_->registry.Collect();
  for (auto& family : state_->process.Collect()) families.push_back(std::move(family));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace frond::metrics
