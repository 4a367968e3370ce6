#pragma once
// What both reading and writing a repository need to know about its files. Internal to this folder.
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"

namespace frond::repository {

// kInvalid: the file is missing or has another size; kUnavailable: its size can't be read.
Result<void> expect_size(const std::filesystem::path& file, std::uint64_t bytes);
// The generation in the text of CURRENT or HIGHEST, one line. kCorrupt: anything else.
Result<Generation> parse_current(std::string_view text);

}  // namespace frond::repository
