#include "indexer/change/tiers.h"

#include <algorithm>
#include <numeric>

#include "indexer/publish/publication.h"

namespace frond::indexer::change {
namespace {

using repository::PartitionEntry;

struct Group {
  std::vector<std::size_t> sources;
  std::uint64_t documents = 0, hidden = 0;  // hidden: of these
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

// Whether the second one follows the first one in what one merge made (compact.cc).
bool are_parts(const PartitionEntry& first, const PartitionEntry& second) {
  const std::uint64_t a = first.summary.documents, b = second.summary.documents;
  return first.stride == 1 && second.stride == 1 && std::max(a, b) - std::min(a, b) <= 1 &&
         publish::is_next_partition_id(first.id, second.id);
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
    const bool is_part =
        !groups.empty() && entry.base == end && are_parts(partitions[groups.back().sources.back()], entry);
    if (groups.empty() || (entry.base >= end && !is_part)) groups.emplace_back();
    Group& group = groups.back();
    group.sources.push_back(p);
    group.documents += entry.summary.documents;
    group.hidden += entry.hidden.documents;
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
  }
  first.rewritten = true;
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
               groups.begin() + static_cast<std::ptrdiff_t>(end));
}

// Small groups need no more than one.
std::uint32_t partitions_made(std::uint64_t left, std::uint32_t largest) { return left <= kSmallest ? 1 : largest; }

void join_tier(std::vector<Group>& groups, unsigned tier, std::uint32_t width, std::uint32_t largest,
               const Fits& fits) {
  for (std::size_t begin = 0; begin < groups.size();) {
    std::size_t end = begin;
    std::uint32_t of_tier = 0;
    MergeSize size;
    bool fitted = true;
    for (; end < groups.size() && groups[end].tier(width) <= tier; ++end) {
      const Group& group = groups[end];
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
  std::size_t largest = 1;
  for (const Group& group : groups) largest = std::max(largest, group.sources.size());
  const auto made = static_cast<std::uint32_t>(largest);
  if (rules.all) {
    const bool done = groups.size() < 2 && (groups.empty() || groups[0].hidden == 0);
    if (!done) join(groups, 0, groups.size());
  } else {
    unsigned highest = 0;
    for (const Group& group : groups) highest = std::max(highest, group.tier(rules.width));
    for (unsigned tier = 0; tier <= highest; ++tier) join_tier(groups, tier, rules.width, made, fits);
    for (Group& group : groups)
      group.rewritten |= static_cast<double>(group.hidden) > rules.hidden_share * static_cast<double>(group.documents);
  }
  std::vector<Merge> merges;
  for (Group& group : groups) {
    if (!group.rewritten) continue;
    std::sort(group.sources.begin(), group.sources.end());
    merges.push_back({std::move(group.sources), partitions_made(group.left(), made)});
  }
  return merges;
}

}  // namespace frond::indexer::change
