#include "leaf/gpu/intersect/batch_input.h"

#include <algorithm>
#include <string>

namespace frond::leaf::gpu::intersect {
namespace {

std::uint32_t tiles_of(std::uint32_t shortest) { return std::max(1u, (shortest + kTile - 1) / kTile); }

}  // namespace

InputArrays::InputArrays(std::byte* memory, const BatchSize& size) {
  Cut cut(memory);
  queries = cut.take<QueryOnDevice>(size.queries);
  pairs = cut.take<PairOnDevice>(size.pairs);
  lists = cut.take<std::uint32_t>(size.lists);
  tiles = cut.take<std::uint32_t>(size.tiles);
  bytes = cut.used();
}

Result<BatchInput> take_queries(std::span<const std::uint32_t> counts, const QuerySet& queries, std::size_t first,
                                const BatchSize& room, std::uint32_t threshold, std::uint32_t levels) {
  BatchInput input;
  input.first = first;
  input.levels = levels;
  std::uint64_t docids = 0;
  for (std::size_t q = first; q < queries.size() && docids < threshold; ++q) {
    const auto lists = queries[q];
    if (lists.empty() || lists.size() > kMaxQueryLists)
      return Error(Code::kInvalid, "a query of " + std::to_string(lists.size()) + " lists");
    std::uint32_t shortest = 0xffffffff;
    for (const std::uint32_t list : lists) shortest = std::min(shortest, counts[list]);
    const auto others = static_cast<std::uint32_t>(lists.size() - 1);
    BatchSize size = input.size;
    size.queries += 1;
    size.lists += others + 1;
    size.tiles += tiles_of(shortest);
    if (levels > 0) size.pairs += others;
    for (std::uint32_t level = 0; level < levels; ++level) size.splitters += splitters_of(shortest, level) * others;
    if (size.queries > room.queries || size.lists > room.lists || size.splitters > room.splitters) break;
    for (std::uint32_t level = 0; level < levels; ++level)
      input.splitters[level] += splitters_of(shortest, level) * others;
    input.size = size;
    docids += shortest;
  }
  if (input.size.queries == 0) return Error(Code::kInvalid, "a query with more splitters than a batch has room for");
  return input;
}

void write_input(std::span<const std::uint32_t> counts, const QuerySet& queries, const BatchInput& input,
                 std::byte* staged) {
  const InputArrays to(staged, input.size);
  std::uint32_t next_splitter[kMaxLevels] = {};
  for (std::uint32_t level = 1; level < input.levels; ++level)
    next_splitter[level] = next_splitter[level - 1] + input.splitters[level - 1];
  BatchSize at{};
  for (std::uint32_t q = 0; q < input.size.queries; ++q) {
    const auto lists = queries[input.first + q];
    std::uint32_t* own = to.lists + at.lists;
    std::copy(lists.begin(), lists.end(), own);
    std::sort(own, own + lists.size(), [&](std::uint32_t a, std::uint32_t b) { return counts[a] < counts[b]; });
    const std::uint32_t shortest = counts[own[0]], tiles = tiles_of(shortest);
    to.queries[q] = {at.lists, static_cast<std::uint32_t>(lists.size()), at.tiles, at.pairs};
    std::fill_n(to.tiles + at.tiles, tiles, q);
    for (std::size_t l = 1; l < lists.size() && input.levels > 0; ++l) {
      PairOnDevice& pair = to.pairs[at.pairs++];
      pair = {.shorter = own[0], .longer = own[l]};
      for (std::uint32_t level = 0; level < input.levels; ++level) {
        pair.first[level] = next_splitter[level];
        next_splitter[level] += splitters_of(shortest, level);
      }
    }
    at.lists += static_cast<std::uint32_t>(lists.size());
    at.tiles += tiles;
  }
}

}  // namespace frond::leaf::gpu::intersect
