#include "tools/up/shares.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace frond::tools::up {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastIndexing = 128 * kMiB;  // indexer/pipeline has no less
constexpr unsigned kMostSearchThreads = 8;            // of a broker

std::string variable_of(const std::string& flag) {
  std::string name = "FROND_";
  for (const char c : flag.substr(2)) name += c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return name;
}

}  // namespace

std::uint64_t Shares::memory() const {
  std::uint64_t sum = 0;
  for (const auto* all : {&leaf, &broker, &service})
    for (const Share& share : *all)
      if (share.is_memory) sum += share.flag == "--memory-limit" ? 2 * share.value : share.value;
  return sum;
}

// Thousandths of the planned memory: 430 the leaf's, 170 the broker's, 380 the service's.
Shares shares_of(const Machine& machine) {
  const auto memory = [&](const char* flag, std::uint64_t thousandths, std::uint64_t most, std::uint64_t least = kMiB) {
    return Share{flag, machine.share(thousandths, least, most), true};
  };
  const std::uint64_t broker_threads = std::clamp(machine.cores / 4, 1u, kMostSearchThreads);
  const std::uint64_t leaf_threads = std::max(1u, machine.cores - machine.cores / 4);
  Shares shares;
  shares.leaf = {memory("--host-cache", 280, kMiB << 20),     memory("--document-cache", 40, 64 * kMiB),
                 memory("--term-cache", 30, 32 * kMiB),       memory("--filter-cache", 40, 64 * kMiB),
                 memory("--keyword-cache", 40, 64 * kMiB),    {"--cpu-threads", leaf_threads},
                 {"--costly-threads", (leaf_threads + 1) / 2}};
  shares.broker = {memory("--cache", 50, 256 * kMiB),
                   memory("--max-unsent-bytes", 80, 256 * kMiB),
                   memory("--max-body-bytes", 40, 64 * kMiB),
                   {"--threads", broker_threads}};
  shares.service = {memory("--memory-limit", 120, 1024 * kMiB, kLeastIndexing),
                    memory("--max-pending-bytes", 80, 256 * kMiB), memory("--max-body-bytes", 40, 64 * kMiB),
                    memory("--max-unsent-bytes", 20, 64 * kMiB)};
  return shares;
}

std::vector<std::string> arguments_of(const std::vector<Share>& shares) {
  std::vector<std::string> arguments;
  for (const Share& share : shares) {
    if (std::getenv(variable_of(share.flag).c_str()) != nullptr) continue;
    arguments.insert(arguments.end(), {share.flag, std::to_string(share.value)});
  }
  return arguments;
}

}  // namespace frond::tools::up
