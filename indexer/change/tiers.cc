#include "indexer/change/tiers.h"

#include <algorithm>
#include <numeric>

namespace frond::indexer::change {
namespace {

using repository::PartitionEntry;

struct Group {
  std::vector<std::size_t> sources;
  std::uint64_t documents = 0, hidden = 0;  // hidden: of these
  std::uint32_t largest = 1;                // partitions of the largest group that was merged into it
  bool rewritten = false;
  std::uint64_t left() const { return documents - hidden; }
  unsigned tier(std::uint32_t width) const {
    unsigned tier = 0;
    for (std::uint64_t reach = kSmallest; left() > reach; reach *= width) ++tier;
    return tier;
  }
};

Ordinal end_of(const PartitionEntry& entry) {
  const std::uint64_t documents = entry.summary.documents;
  return documents == 0 ? entry.base : entry.placement().ordinal(static_cast<DocId>(documents - 1)) + 1;
}

std::vector<Group> groups_of(std::span<const PartitionEntry> partitions) {
  std::vector<std::size_t> order(partitions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return partitions[a].base < partitions[b].base; });
  std::vector<Group> groups;
  Ordinal end = 0;
  for (const std::size_t p : order) {
    const PartitionEntry& entry = partitions[p];
    if (groups.empty() || entry.base >= end) groups.emplace_back();
    Group& group = groups.back();
    group.sources.push_back(p);
    group.documents += entry.summary.documents;
    group.hidden += entry.hidden.documents;
    group.largest = static_cast<std::uint32_t>(group.sources.size());
    end = std::max(end, end_of(entry));
  }
  return groups;
}

// Groups begin .. end - 1 become one.
void join(std::vector<Group>& groups, std::size_t begin, std::size_t end) {
  Group& first = groups[begin];
  for (std::size_t i = begin + 1; i < end; ++i) {
    first.sources.insert(first.sources.end(), groups[i].sources.begin(), groups[i].sources.end());
    first.documents += groups[i].documents;
    first.hidden += groups[i].hidden;
    first.largest = std::max(first.largest, groups[i].largest);
  }
  first.rewritten = true;
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
               groups.begin() + static_cast<std::ptrdiff_t>(end));
}

// Small groups need no more than one.
std::uint32_t partitions_made(std::uint64_t left, std::uint32_t largest) { return left <= kSmallest ? 1 : largest; }

void join_tier(std::vector<Group>& groups, unsigned tier, std::uint32_t width, const Fits& fits) {
  for (std::size_t begin = 0; begin < groups.size();) {
    std::size_t end = begin;
    std::uint32_t of_tier = 0, largest = 1;
    MergeSize size;
    bool fitted = true;
    for (; end < groups.size() && groups[end].tier(width) <= tier; ++end) {
      const Group& group = groups[end];
      largest = std::max(largest, group.largest);
      size.sources += group.sources.size();
      size.documents += group.documents;
      size.left += group.left();
      size.partitions = partitions_made(size.left, largest);
      fitted = end == begin || fits(size);
      if (!fitted) break;
      of_tier += group.tier(width) == tier;
    }
    if (of_tier >= width) {
      join(groups, begin, end);
      ++begin;
    } else {
      begin = fitted ? end + 1 : begin + 1;  // what ends a run that fits is of a higher tier
    }
  }
}

}  // namespace

std::vector<Merge> merges_of(std::span<const PartitionEntry> partitions, const TierRules& rules, const Fits& fits) {
  std::vector<Group> groups = groups_of(partitions);
  if (rules.all) {
    const bool done = groups.size() < 2 && (groups.empty() || groups[0].hidden == 0);
    if (!done) join(groups, 0, groups.size());
  } else {
    unsigned highest = 0;
    for (const Group& group : groups) highest = std::max(highest, group.tier(rules.width));
    for (unsigned tier = 0; tier <= highest; ++tier) join_tier(groups, tier, rules.width, fits);
    for (Group& group : groups)
      group.rewritten |= static_cast<double>(group.hidden) > rules.hidden_share * static_cast<double>(group.documents);
  }
  std::vector<Merge> merges;
  for (Group& group : groups) {
    if (!group.rewritten) continue;
    std::sort(group.sources.begin(), group.sources.end());
    merges.push_back({std::move(group.sources), partitions_made(group.left(), group.largest)});
  }
  return merges;
}

}  // namespace frond::indexer::change
