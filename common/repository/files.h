#pragma once
// What both reading and writing a repository need to know about its files. Internal to this folder.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"

namespace frond::repository {

// kInvalid: the file is missing or has another size; kUnavailable: its size can't be read.
Result<void> expect_size(const std::filesystem::path& file, std::uint64_t bytes);
// The text of CURRENT: "<generation>\n", or of a collection that a service writes with a lease "<generation> <epoch>\n"
// (writer_lease.h).
struct CurrentLine {
  Generation generation = 0;  // 0: nothing is published; only with an epoch
  std::uint64_t epoch = 0;    // 0: none
};
// kCorrupt: anything else.
Result<CurrentLine> parse_current_line(std::string_view text);
std::string to_text(const CurrentLine& line);
// The generation in the text of CURRENT or HIGHEST. kNotFound: nothing is published; kCorrupt: anything else.
Result<Generation> parse_current(std::string_view text);
// Of a name that is all digits; 0: it is not.
std::uint64_t number_of(std::string_view name);

}  // namespace frond::repository
