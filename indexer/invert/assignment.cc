#include "indexer/invert/assignment.h"

#include <algorithm>
#include <queue>

#include "common/base/check.h"

namespace frond::indexer::invert {

Assignment::Assignment(std::span<const parse::TokenGroup> sample, std::uint32_t cpu_inverters,
                       std::uint32_t gpu_inverters)
    : inverters_(cpu_inverters + gpu_inverters), owner_(dictionary::kTrieCollections) {
  FROND_CHECK(cpu_inverters > 0);
  const std::uint32_t first = gpu_inverters > 0 ? cpu_inverters : 0, some = inverters_ - first;
  for (std::size_t i = 0; i < owner_.size(); ++i) owner_[i] = first + static_cast<std::uint32_t>(i % some);
  std::vector<parse::TokenGroup> largest(sample.begin(), sample.end());
  std::stable_sort(largest.begin(), largest.end(), [](const parse::TokenGroup& a, const parse::TokenGroup& b) {
    return a.end - a.begin > b.end - b.begin;
  });
  if (gpu_inverters > 0 && largest.size() > kPopular) largest.resize(kPopular);
  struct Load {
    std::uint64_t bytes = 0;
    std::uint32_t inverter = 0;
    bool operator>(const Load& other) const {
      return bytes != other.bytes ? bytes > other.bytes : inverter > other.inverter;
    }
  };
  std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
  for (std::uint32_t i = 0; i < cpu_inverters; ++i) least.push({0, i});
  for (const parse::TokenGroup& group : largest) {
    Load load = least.top();
    least.pop();
    owner_[group.collection] = load.inverter;
    load.bytes += group.end - group.begin;
    least.push(load);
  }
}

void Assignment::split(std::span<const parse::TokenGroup> groups,
                       std::vector<std::vector<parse::TokenGroup>>& shares) const {
  shares.resize(inverters_);
  for (auto& share : shares) share.clear();
  for (const parse::TokenGroup& group : groups) shares[owner_[group.collection]].push_back(group);
}

}  // namespace frond::indexer::invert
