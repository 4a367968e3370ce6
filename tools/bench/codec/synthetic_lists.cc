#include "tools/bench/codec/synthetic_lists.h"

#include <algorithm>
#include <bit>

#include "common/base/check.h"

namespace frond::tools::bench {
namespace {

// Not std::uniform_int_distribution: a seed gives the same list with every standard library.
std::uint32_t below(std::mt19937& random, std::uint32_t bound) {
  return static_cast<std::uint32_t>(std::uint64_t{static_cast<std::uint32_t>(random())} * bound >> 32);
}
bool half(std::mt19937& random) { return (random() & 1) != 0; }

// Appends `count` distinct integers of [0, range), plus `first`. For a range not much greater than the count: uses one
// bit per integer.
void append_by_bits(std::mt19937& random, std::uint32_t count, std::uint32_t first, std::uint32_t range,
                    std::vector<std::uint32_t>& out) {
  const bool absent = count > range / 2;  // draw the absent integers if they are fewer
  std::vector<std::uint64_t> bits((range + 63) / 64, 0);
  for (std::uint32_t drawn = 0, wanted = absent ? range - count : count; drawn < wanted;) {
    const std::uint32_t each = below(random, range);
    std::uint64_t& word = bits[each / 64];
    const std::uint64_t bit = std::uint64_t{1} << (each % 64);
    drawn += (word & bit) == 0;
    word |= bit;
  }
  for (std::uint32_t at = 0; at < range; at += 64) {
    std::uint64_t word = absent ? ~bits[at / 64] : bits[at / 64];
    if (range - at < 64) word &= ~(~std::uint64_t{0} << (range - at));
    for (; word != 0; word &= word - 1) out.push_back(first + at + static_cast<std::uint32_t>(std::countr_zero(word)));
  }
}

void append_uniform(std::mt19937& random, std::uint32_t count, std::uint32_t first, std::uint32_t range,
                    std::vector<std::uint32_t>& out) {
  FROND_CHECK(count <= range);
  if (range / 64 < count) return append_by_bits(random, count, first, range, out);
  std::vector<std::uint32_t> drawn;
  while (drawn.size() < count) {
    while (drawn.size() < count) drawn.push_back(first + below(random, range));
    std::sort(drawn.begin(), drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  }
  out.insert(out.end(), drawn.begin(), drawn.end());
}

void append_clustered(std::mt19937& random, std::uint32_t count, std::uint32_t first, std::uint32_t range,
                      std::vector<std::uint32_t>& out) {
  if (count <= 10 || count == range) return append_uniform(random, count, first, range, out);
  const std::uint32_t left = count / 2, spare = range - count;
  const std::uint32_t cut = left + (spare > 1 ? below(random, spare) : 0);  // where the right side begins
  const bool one_side_uniform = half(random), which = half(random);
  (one_side_uniform && which ? append_uniform : append_clustered)(random, left, first, cut, out);
  (one_side_uniform && !which ? append_uniform : append_clustered)(random, count - left, first + cut, range - cut, out);
}

}  // namespace

std::vector<std::uint32_t> uniform_list(std::mt19937& random, std::uint32_t count, std::uint32_t range) {
  std::vector<std::uint32_t> list;
  list.reserve(count);
  append_uniform(random, count, 0, range, list);
  return list;
}

std::vector<std::uint32_t> clustered_list(std::mt19937& random, std::uint32_t count, std::uint32_t range) {
  std::vector<std::uint32_t> list;
  list.reserve(count);
  append_clustered(random, count, 0, range, list);
  return list;
}

}  // namespace frond::tools::bench
