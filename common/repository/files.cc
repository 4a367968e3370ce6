#include "common/repository/files.h"

#include <charconv>
#include <string>
#include <system_error>

namespace frond::repository {

Result<void> expect_size(const std::filesystem::path& file, std::uint64_t bytes) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(file, failed);
  if (failed) {
    const bool absent = failed == std::errc::no_such_file_or_directory || failed == std::errc::not_a_directory;
    return Error(absent ? Code::kInvalid : Code::kUnavailable, file.string() + ": " + failed.message());
  }
  if (size == bytes) return {};
  return Error(Code::kInvalid,
               file.string() + ": " + std::to_string(size) + " bytes instead of " + std::to_string(bytes));
}

Result<Generation> parse_current(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  Generation generation = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), generation);
  if (failed != std::errc() || end != text.data() + text.size() || generation == 0)
    return Error(Code::kCorrupt, "CURRENT does not hold a generation's number");
  return generation;
}

}  // namespace frond::repository
