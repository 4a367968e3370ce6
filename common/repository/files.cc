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

Result<CurrentLine> parse_current_line(std::string_view text) {
  const Error wrong(Code::kCorrupt, "CURRENT does not hold a generation's number");
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const auto number = [](std::string_view digits, std::uint64_t& to) {
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), to);
    return failed == std::errc() && end == digits.data() + digits.size();
  };
  CurrentLine line;
  const auto space = text.find(' ');
  if (!number(text.substr(0, space), line.generation)) return wrong;
  if (space == text.npos) return line.generation == 0 ? Result<CurrentLine>(wrong) : line;
  if (!number(text.substr(space + 1), line.epoch) || line.epoch == 0) return wrong;
  return line;
}

std::string to_text(const CurrentLine& line) {
  const std::string number = std::to_string(line.generation);
  return line.epoch == 0 ? number + "\n" : number + " " + std::to_string(line.epoch) + "\n";
}

Result<Generation> parse_current(std::string_view text) {
  const CurrentLine line = FROND_TRY(parse_current_line(text));
  if (line.generation == 0) return Error(Code::kNotFound, "nothing is published yet");
  return line.generation;
}

std::uint64_t number_of(std::string_view name) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  return failed == std::errc() && end == name.data() + name.size() ? number : 0;
}

}  // namespace frond::repository
