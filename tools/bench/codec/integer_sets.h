#pragma once
// The lists on which `frond bench codec` measures codecs.
#include <cstdint>
#include <filesystem>
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

// Reads lists from text files of comma-separated ascending integers, one list per file. `path`: a file, or a folder
// with *.txt below it. Lists of fewer than `min_length` integers are left out. kInvalid: a file is malformed; the
// message names the file and the fault. kNotFound.
Result<IntegerSet> set_of_files(const std::filesystem::path& path, std::size_t min_length);

// Parses one such list. kInvalid.
Result<std::vector<std::uint32_t>> parse_integers(std::string_view text);

}  // namespace frond::tools::bench
