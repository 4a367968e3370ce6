#pragma once
// Ascending lists of distinct integers as papers on integer codes generate them: the models Uniform and Clustered of
// Anh and Moffat ("Index compression using 64-bit words", 2010), which Mallia 2019 §4 uses.
#include <cstdint>
#include <random>
#include <vector>

namespace frond::tools::bench {

// `count` distinct integers of [0, range); all such sets are equally probable. count <= range.
std::vector<std::uint32_t> uniform_list(std::mt19937& random, std::uint32_t count, std::uint32_t range);

// The same in clusters: the range is cut at a random place, and each side takes half of the integers. With probability
// 1/4 the left side is then uniform, with 1/4 the right. Every other side is cut again. Ten or fewer integers are
// uniform.
std::vector<std::uint32_t> clustered_list(std::mt19937& random, std::uint32_t count, std::uint32_t range);

}  // namespace frond::tools::bench
