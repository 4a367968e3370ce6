#include "common/metrics/process.h"

#include <dirent.h>
#include <prometheus/metric_family.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

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

}  // namespace

ProcessCollector::ProcessCollector()
    : start_time_seconds_(boot_time() + read_stat().start_ticks / static_cast<double>(sysconf(_SC_CLK_TCK))) {}

std::vector<prometheus::MetricFamily> ProcessCollector::Collect() const {
  const Stat now = read_stat();
  using prometheus::MetricType;
  return {
      family_of("process_cpu_seconds_total", "Time on processors, user and system.", MetricType::Counter,
                now.cpu_seconds),
      family_of("process_resident_memory_bytes", "Memory in RAM.", MetricType::Gauge, now.resident_bytes),
      family_of("process_virtual_memory_bytes", "Address space in use.", MetricType::Gauge, now.virtual_bytes),
      family_of("process_start_time_seconds", "When the process started, since the epoch.", MetricType::Gauge,
                start_time_seconds_),
      family_of("process_open_fds", "Open file descriptors.", MetricType::Gauge, count_open_fds()),
  };
}

}  // namespace frond::metrics
