#pragma once
// The posting lists of a published index as integers.
#include <cstdint>
#include <filesystem>
#include <vector>

#include "common/base/result.h"
#include "tools/bench/codec/integer_sets.h"

namespace frond::tools::bench {

// The docIDs ("index docids") and the frequencies ("index freqs") of the lists with at least `min_length` postings, up
// to `max_postings` postings in all. `path`: a collection's folder in a repository (with CURRENT in it), of which all
// partitions of the current generation are read; or the database of one partition of a leaf. Files are linked or copied
// into a scratch folder. kNotFound, kCorrupt.
Result<std::vector<IntegerSet>> sets_of_index(const std::filesystem::path& path, std::size_t min_length,
                                              std::uint64_t max_postings);

}  // namespace frond::tools::bench
