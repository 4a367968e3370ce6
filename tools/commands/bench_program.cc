#include "tools/commands/commands.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace frond::tools {

bool is_for_bench_program(std::span<const char* const> arguments) {
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--config") ++i;  // and its value
    if (argument == "--config" || argument.starts_with("--config=")) continue;
    return argument == "bench" || argument == "synth";
  }
  return false;
}

Error run_bench_program(char* const* arguments) {
  std::error_code failure;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) return Error(Code::kUnavailable, "/proc/self/exe: " + failure.message());
  const auto program = own.parent_path() / "frond-bench";
  ::execv(program.c_str(), arguments);
  return Error(Code::kUnavailable, program.string() + ": " + std::generic_category().message(errno) +
                                       "; bench and synth are commands of this program, which is built as frond-bench");
}

}  // namespace frond::tools
