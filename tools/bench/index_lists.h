#pragma once
// The posting lists of a published index as integers.
#include <cstdint>
#include <filesystem>
#include <vector>

#include "common/base/result.h"
#include "tools/bench/integer_sets.h"

namespace frond::tools {

// The docIDs ("index docids") and the frequencies ("index freqs") of the lists of at least `least` postings. path: a
// collection in a repository (its folder, with CURRENT in it), of which all partitions of the current generation are
// read, or a partition's database as a leaf has it. `most` postings at most, then the rest is left out. Files are
// linked or copied into a scratch folder in the system's place for such. kNotFound, kCorrupt.
Result<std::vector<IntegerSet>> sets_of_index(const std::filesystem::path& path, std::size_t least, std::uint64_t most);

}  // namespace frond::tools
