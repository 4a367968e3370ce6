#pragma once
// The lists on which `frond bench codec` measures codecs.
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/codec/list_codec.h"

namespace frond::tools::bench {

struct IntegerSet {
  std::string name;  // as in the papers' figures, if they have the set: "uniform/2^16"
  codec::Numbers kind = codec::Numbers::kDocIds;
  std::vector<std::vector<std::uint32_t>> lists;
  std::uint64_t integers() const;
};

// "uniform" or "clustered" lists of 2^log2_count integers below 2^29: 2^22 integers in all, at least one list.
IntegerSet synthetic_set(std::string_view model, unsigned log2_count, std::uint32_t seed);

// Ascending lists of distinct integers as papers on integer codes generate them: the models Uniform and Clustered of
// Anh and Moffat ("Index compression using 64-bit words", 2010), which Mallia 2019 §4 uses.

// `count` distinct integers of [0, range); all such sets are equally probable. count <= range.
std::vector<std::uint32_t> uniform_list(std::mt19937& random, std::uint32_t count, std::uint32_t range);

// The same in clusters: the range is cut at a random place, and each side takes half of the integers. With probability
// 1/4 the left side is then uniform, with 1/4 the right. Every other side is cut again. Ten or fewer integers are
// uniform.
std::vector<std::uint32_t> clustered_list(std::mt19937& random, std::uint32_t count, std::uint32_t range);

// The docIDs ("index docids") and the frequencies ("index freqs") of the lists with at least `min_length` postings, up
// to `max_postings` postings in all. `path`: a collection's folder in a repository (with CURRENT in it), of which all
// partitions of the current generation are read; or the database of one partition of a leaf. Files are linked or copied
// into a scratch folder. kNotFound, kCorrupt.
Result<std::vector<IntegerSet>> sets_of_index(const std::filesystem::path& path, std::size_t min_length,
                                              std::uint64_t max_postings);

}  // namespace frond::tools::bench
