#pragma once
// How the programs that `frond up` starts share a machine. Each of them would choose its budgets as if it had the
// machine to itself beside a few others; here they get flags instead, whose sum is the memory that one program plans
// for: all of a container's, half of a machine's. Threads may outnumber cores by one, since programs take turns.
//
// A GPU is the leaf's: indexing takes none, unless its flags in the environment say so, and has ended by then.
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/machine.h"

namespace frond::tools::up {

struct Share {
  std::string flag;
  std::uint64_t value = 0;
  bool is_memory = false;
};
struct Shares {
  std::vector<Share> leaf, broker, service;
  // The most that they all hold together. The service indexes and merges with --memory-limit each.
  std::uint64_t memory() const;
};
Shares shares_of(const Machine& machine);

// As arguments, but those that the environment has (FROND_HOST_CACHE for --host-cache), which the program reads.
std::vector<std::string> arguments_of(const std::vector<Share>& shares);

}  // namespace frond::tools::up
