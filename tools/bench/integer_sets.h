#pragma once
// The lists that `frond bench codec` measures codecs on.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/codec/list_codec.h"

namespace frond::tools {

struct IntegerSet {
  std::string name;  // as the papers' figures have it, where they have it: "uniform/2^16"
  codec::Numbers kind = codec::Numbers::kDocIds;
  std::vector<std::vector<std::uint32_t>> lists;  // of numbers that the kind allows
  std::uint64_t integers() const;
};

// "uniform" or "clustered" lists of 2^log2_count integers below 2^29; as many as make 2^22 integers, at least one.
IntegerSet synthetic_set(std::string_view model, unsigned log2_count, std::uint32_t seed);

// Lists from text: comma-separated ascending integers, a list a file; all *.txt below a folder. Lists of fewer than
// `least` integers are left out. kInvalid names the file and what is wrong; kNotFound.
Result<IntegerSet> set_of_files(const std::filesystem::path& path, std::size_t least);

// One list of that form. kInvalid.
Result<std::vector<std::uint32_t>> parse_integers(std::string_view text);

}  // namespace frond::tools
