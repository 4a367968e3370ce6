#include "common/base/machine.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

namespace frond {
namespace {
namespace fs = std::filesystem;

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kMaxFileBytes = 64 << 10;  // files of the kernel are far smaller

std::string contents(const fs::path& file) {
  std::ifstream in(file);
  std::string text(kMaxFileBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

// The number that `text` begins with. None: it begins with another character, as "max" does, or is too large.
std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return {};
  return value;
}

std::optional<std::uint64_t> number_in(const fs::path& file) { return number(contents(file)); }

// The number behind `name` at the beginning of a line, as in /proc/meminfo and memory.stat.
std::uint64_t named_number(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name) || line.size() == name.size()) continue;
    const std::size_t digits = line.find_first_not_of(": \t", name.size());
    if (digits == name.size() || digits == std::string::npos) continue;  // a longer name
    return number(std::string_view(line).substr(digits)).value_or(0);
  }
  return 0;
}

// A cgroup that the process is in, or one above it, of one controller.
struct Group {
  fs::path folder;
  bool second;  // cgroup version 2
};

// The groups of `controller` from the process's own to the root. A container may see its own group as the root of the
// mount although /proc names its path on the host: folders that are not there are passed over.
std::vector<Group> groups(const fs::path& root, std::string_view controller) {
  std::vector<Group> found;
  std::istringstream lines(contents(root / "proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), last = line.find(':', first + 1);
    if (first == std::string::npos || last == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, last - first - 1) + ",";
    const bool second = controllers == ",,";
    if (!second && controllers.find("," + std::string(controller) + ",") == std::string::npos) continue;
    const std::string name(controller);
    for (const char* mount : {"sys/fs/cgroup", "sys/fs/cgroup/unified"}) {
      const fs::path top = second ? root / mount : root / "sys/fs/cgroup" / name;
      fs::path below = fs::path(line.substr(last + 1)).relative_path();
      while (true) {
        found.push_back({top / below, second});
        if (below.empty()) break;
        below = below.parent_path();
      }
      if (!second) break;
    }
  }
  return found;
}

void limit_cores(Machine& machine, const fs::path& root) {
  for (const Group& group : groups(root, "cpu")) {
    std::optional<std::uint64_t> quota, period;
    if (group.second) {
      const std::string text = contents(group.folder / "cpu.max");
      quota = number(text);
      const std::size_t space = text.find(' ');
      if (space != std::string::npos) period = number(std::string_view(text).substr(space + 1));
    } else {
      quota = number_in(group.folder / "cpu.cfs_quota_us");  // -1: none
      period = number_in(group.folder / "cpu.cfs_period_us");
    }
    if (!quota || *quota == 0 || !period || *period == 0) continue;
    const std::uint64_t cores = (*quota - 1) / *period + 1;
    if (cores >= machine.cores) continue;
    machine.cores = static_cast<unsigned>(cores);
    machine.has_quota = true;
  }
}

void limit_memory(Machine& machine, const fs::path& root) {
  for (const Group& group : groups(root, "memory")) {
    const auto file = [&](const char* second, const char* first) {
      return group.folder / (group.second ? second : first);
    };
    std::uint64_t limit = number_in(file("memory.max", "memory.limit_in_bytes")).value_or(kUnlimited);
    if (group.second) limit = std::min(limit, number_in(group.folder / "memory.high").value_or(kUnlimited));
    if (limit == 0 || limit >= machine.memory) continue;  // version 1 writes a huge number for "none"
    machine.memory = limit;
    machine.contained = true;
    const std::uint64_t used = number_in(file("memory.current", "memory.usage_in_bytes")).value_or(0);
    const std::string stat = contents(group.folder / "memory.stat");
    const std::string prefix = group.second ? "" : "total_";
    const std::uint64_t files =
        named_number(stat, prefix + "inactive_file") + named_number(stat, prefix + "active_file");
    const std::uint64_t kept = used - std::min(used, files);
    machine.available = std::min(machine.available, limit - std::min(limit, kept));
  }
}

unsigned affinity() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::max(1u, std::thread::hardware_concurrency());  // more cores than a cpu_set_t has
}

std::string gibibytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (std::uint64_t{1} << 30));
  return text;
}

}  // namespace

std::uint64_t Machine::share(std::uint64_t thousandths, std::uint64_t least, std::uint64_t most) const {
  return std::clamp(planned_memory() / 1000 * thousandths, least, most);
}

std::string Machine::text() const {
  return std::to_string(cores) + (cores == 1 ? " core" : " cores") + (has_quota ? " (cgroup)" : "") + ", " +
         gibibytes(memory) + " of memory" + (contained ? " (cgroup)" : "") + ", " + gibibytes(available) + " available";
}

Machine read_machine(const fs::path& root, unsigned affinity) {
  Machine machine;
  machine.cores = std::max(1u, affinity);
  const std::string meminfo = contents(root / "proc/meminfo");
  machine.memory = named_number(meminfo, "MemTotal") * 1024;
  if (machine.memory == 0) machine.memory = std::uint64_t{4} << 30;  // no /proc
  machine.available = std::min(machine.memory, named_number(meminfo, "MemAvailable") * 1024);
  if (machine.available == 0) machine.available = machine.memory / 2;
  limit_cores(machine, root);
  limit_memory(machine, root);
  return machine;
}

const Machine& this_machine() {
  static const Machine machine = read_machine("/", affinity());
  return machine;
}

}  // namespace frond
