#pragma once
// What this process may use of the machine: cores, by its affinity and by the quotas of its cgroups, and memory, by
// their limits. Programs take their defaults from it, so that a container gets what fits into it.
#include <cstdint>
#include <filesystem>
#include <string>

namespace frond {

struct Machine {
  unsigned cores = 1;           // a quota of 2.5 processors is 3 cores
  std::uint64_t memory = 0;     // bytes that the process may have at most
  std::uint64_t available = 0;  // of these what no process uses now; cached files count as unused
  bool contained = false;       // a cgroup allows less memory than the machine has
  bool has_quota = false;       // a cgroup allows fewer cores than the affinity

  // The memory that a program plans its defaults for: in a container its limit; elsewhere half of the machine's, since
  // other programs are there, often of the same kind. The same at each start, so that a killed build finds the limits
  // that it began with.
  std::uint64_t planned_memory() const { return contained ? memory : memory / 2; }
  // `thousandths` of the planned memory, between `least` and `most`.
  std::uint64_t share(std::uint64_t thousandths, std::uint64_t least, std::uint64_t most) const;
  // "16 cores, 128.0 GiB of memory, 120.1 GiB of it available", and which of these a cgroup limits. For logs.
  std::string text() const;
};

// Reads /proc and /sys/fs/cgroup, of both versions, below `root`. What cannot be read limits nothing. `affinity`: the
// cores that the process may run on.
Machine read_machine(const std::filesystem::path& root, unsigned affinity);
// This process's machine as it was when this was first called. Any thread.
const Machine& this_machine();

}  // namespace frond
