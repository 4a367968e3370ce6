#pragma once
// A program's manual page and its completion in bash, from its own flags: `PROGRAM --generate man|bash`, which prints
// them and ends. Not listed by --help.
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace frond::config {

// In man's macros, section 1. All commands and flags, with defaults and the names of environment variables.
std::string manual_page(const CLI::App& app, std::string_view version);
// A function of bash, and the command that binds it: commands, flags, and the values of flags that have few.
std::string bash_completion(const CLI::App& app);

}  // namespace frond::config
