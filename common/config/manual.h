#pragma once
// What a program says of its own flags: its help, and with `PROGRAM --generate man|bash|flags`, which --help does not
// list, its manual page, its completion in bash, and the lines that docs/flags.md is made from.
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace frond::config {

inline constexpr const char* kGeneral = "General";  // the group of --help, --help-all, --config and --version
// Whether a flag or argument is the program's own: not one of kGeneral.
bool is_own(const CLI::Option& flag);
// Makes the groups that --help prints, of all commands. `all`: for --help-all, which leaves nothing out.
void arrange_help(CLI::App& app, bool all);

// In man's macros, section 1. All commands and flags, with defaults and the names of environment variables.
std::string manual_page(const CLI::App& app, std::string_view version);
// A function of bash, and the command that binds it: commands, flags, and the values of flags that have few.
std::string bash_completion(const CLI::App& app);
// A line for each flag and argument of all commands, with tabs between: the command, the name, what --help does with it
// ("needed", "shown" or "hidden"), what it takes (empty: nothing), its default (empty: none), and what it does.
std::string flag_lines(const CLI::App& app);

}  // namespace frond::config
