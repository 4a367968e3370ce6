#include "common/metrics/registry.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "common/base/mutex.h"

namespace frond::metrics {
namespace {

struct Stat {
  double cpu_seconds = 0;
  double start_ticks = 0;  // since boot, in clock ticks
  double resident_bytes = 0;
  double virtual_bytes = 0;
};

// /proc/self/stat, proc(5): the second field is the program's name in parentheses and may itself hold spaces.
Stat read_stat() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(line.substr(name_end + 1));
  std::string skipped;
  double user = 0, system = 0, start = 0, virtual_bytes = 0, resident_pages = 0;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  fields >> user >> system;
  for (int field = 16; field < 22; ++field) fields >> skipped;
  fields >> start >> virtual_bytes >> resident_pages;
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return {(user + system) / ticks, start, resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE)), virtual_bytes};
}

double boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("btime ")) return std::stod(line.substr(6));
  return 0;
}

double count_open_fds() {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return 0;
  double count = -3;  // ".", ".." and the folder itself
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

prometheus::MetricFamily family_of(const char* name, const char* help, prometheus::MetricType type, double value) {
  prometheus::MetricFamily family{name, help, type, {}};
  family.metric.resize(1);
  if (type == prometheus::MetricType::Counter)
    family.metric[0].counter.value = value;
  else
    family.metric[0].gauge.value = value;
  return family;
}

// Of this process, from /proc, under the names that every Prometheus client library uses.
std::vector<prometheus::MetricFamily> process_families(double start_time_seconds) {
  using prometheus::MetricType;
  const Stat now = read_stat();
  return {
      family_of("process_cpu_seconds_total", "Time on processors, user and system.", MetricType::Counter,
                now.cpu_seconds),
      family_of("process_resident_memory_bytes", "Memory in RAM.", MetricType::Gauge, now.resident_bytes),
      family_of("process_virtual_memory_bytes", "Address space in use.", MetricType::Gauge, now.virtual_bytes),
      family_of("process_start_time_seconds", "When the process started, since the epoch.", MetricType::Gauge,
                start_time_seconds),
      family_of("process_open_fds", "Open file descriptors.", MetricType::Gauge, count_open_fds()),
  };
}

prometheus::Labels labels_of(const Labels& labels) { return {labels.begin(), labels.end()}; }

}  // namespace

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

struct Registry::State {
  prometheus::Registry registry{prometheus::Registry::InsertBehavior::Merge};
  const double start_time_seconds = boot_time() + read_stat().start_ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  Mutex mutex;
  std::vector<std::function<void()>> updates FROND_GUARDED_BY(mutex);

  // Metrics with labels, which may be removed.
  struct Removable {
    Labels labels;
    std::function<void()> remove;
  };
  Mutex labelled_mutex;
  std::map<const void*, Removable> labelled FROND_GUARDED_BY(labelled_mutex);
  template <class Made, class... More>
  auto& add(Made& family, const Labels& labels, const More&... more) {
    auto& metric = family.Add(labels_of(labels), more...);
    if (labels.empty()) return metric;
    const MutexLock lock(labelled_mutex);
    labelled.try_emplace(&metric, Removable{labels, [&family, &metric] { family.Remove(&metric); }});
    return metric;
  }
};

Registry::Registry(std::string_view version) : state_(std::make_unique<State>()) {
  gauge({"frond_build_info", "Always 1; the label tells the version."}, {{"version", std::string(version)}}).set(1);
}
Registry::~Registry() = default;

Counter Registry::counter(const Family& family, const Labels& labels) {
  auto& made = prometheus::BuildCounter().Name(family.name).Help(family.help).Register(state_->registry);
  return Counter(&state_->add(made, labels));
}

FollowingCounter Registry::following_counter(const Family& family, const Labels& labels) {
  return FollowingCounter(counter(family, labels));
}

Gauge Registry::gauge(const Family& family, const Labels& labels) {
  auto& made = prometheus::BuildGauge().Name(family.name).Help(family.help).Register(state_->registry);
  return Gauge(&state_->add(made, labels));
}

Histogram Registry::histogram(const Family& family, std::span<const double> buckets, const Labels& labels) {
  auto& made = prometheus::BuildHistogram().Name(family.name).Help(family.help).Register(state_->registry);
  return Histogram(&state_->add(made, labels, prometheus::Histogram::BucketBoundaries(buckets.begin(), buckets.end())));
}

void Registry::remove(std::string_view label, std::string_view value) {
  const MutexLock lock(state_->labelled_mutex);
  std::erase_if(state_->labelled, [&](const auto& one) {
    const bool has = std::ranges::any_of(one.second.labels,
                                         [&](const auto& pair) { return pair.first == label && pair.second == value; });
    if (has) one.second.remove();
    return has;
  });
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
  for (auto& family : process_families(state_->start_time_seconds)) families.push_back(std::move(family));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace frond::metrics
