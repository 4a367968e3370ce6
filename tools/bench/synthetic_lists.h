#pragma once
// Ascending lists of distinct integers as papers on integer codes generate them: the Uniform and Clustered models of
// Anh and Moffat ("Index compression using 64-bit words", 2010), which Mallia 2019 §4 measures with.
#include <cstdint>
#include <random>
#include <vector>

namespace frond::tools {

// `count` distinct integers of [0, range), each set of them as probable as any other. count <= range.
std::vector<std::uint32_t> uniform_list(std::mt19937& random, std::uint32_t count, std::uint32_t range);

// The same in clusters: the range is cut where chance says and each side takes half of the integers; one side in four
// is then uniform on the left, one in four on the right, and otherwise both are cut again. Ten or fewer are uniform.
std::vector<std::uint32_t> clustered_list(std::mt19937& random, std::uint32_t count, std::uint32_t range);

}  // namespace frond::tools
