#include "common/config/manual.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

namespace frond::config {
namespace {

constexpr const char* kUngrouped = "Options";  // CLI11's name for the group of a flag that was given none

// Whether some flags of a command are marked as those that users set.
bool has_groups(const CLI::App& app) {
  const auto flags = app.get_options();
  return std::ranges::any_of(flags, [](const auto* flag) { return is_own(*flag) && flag->get_group() != kUngrouped; });
}

// Text for man: its escape character and the characters that begin requests at the front of a line.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    if (c == '-') out += "\\-";
    if (c != '\\' && c != '-') out += c;
  }
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_name().empty(); });
}

std::string flag_text(const CLI::Option& flag) {
  std::string text = ".TP\n\\fB" + escaped(flag.get_name(false, true)) + "\\fR";
  if (flag.get_type_size() != 0) text += " \\fI" + escaped(flag.get_type_name()) + "\\fR";
  text += "\n" + escaped(flag.get_description());
  if (!flag.get_default_str().empty()) text += escaped(" (default: " + flag.get_default_str() + ")");
  if (flag.get_required()) text += " (required)";
  if (!flag.get_envname().empty()) text += ". Environment: " + escaped(flag.get_envname());
  return text + ".\n";
}

// A command's name, of which bash can make a pattern or a variable.
std::string flags_of(const CLI::App& app) {
  std::string names;
  for (const CLI::Option* flag : app.get_options())
    for (const std::string& name : flag->get_lnames()) names += (names.empty() ? "--" : " --") + name;
  return names;
}

// "on off" of a type such as "TEXT:{on,off}"; empty: any value.
std::string values_of(const CLI::Option& flag) {
  const std::string type = flag.get_type_name();
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  std::string values = type.substr(begin + 1, end - begin - 1);
  std::ranges::replace(values, ',', ' ');
  return values;
}

void add_flag_lines(const CLI::App& app, const std::string& command, std::string& text) {
  const bool grouped = has_groups(app);
  for (const CLI::Option* flag : app.get_options()) {
    if (!is_own(*flag)) continue;
    const std::string help = !grouped || flag->get_group() != kUngrouped ? "shown" : "hidden";
    text += command + "\t" + flag->get_name(false, true) + "\t" + (flag->get_required() ? "needed" : help) + "\t" +
            (flag->get_type_size() == 0 ? "" : flag->get_type_name()) + "\t" + flag->get_default_str() + "\t" +
            flag->get_description() + "\n";
  }
  for (const CLI::App* each : commands_of(app)) add_flag_lines(*each, command + " " + each->get_name(), text);
}

}  // namespace

bool is_own(const CLI::Option& flag) { return flag.get_group() != kGeneral; }

void arrange_help(CLI::App& app, bool all) {
  const bool grouped = has_groups(app);
  std::size_t count = 0, hidden = 0;
  for (CLI::Option* flag : app.get_options()) {
    if (!is_own(*flag)) continue;
    ++count;
    if (flag->get_group() != kUngrouped) continue;
    const bool hide = grouped && !all && !flag->get_required();
    hidden += hide ? 1 : 0;
    flag->group(hide ? "" : flag->get_required() ? "Needed" : grouped ? "More" : "Flags");
  }
  if (hidden > 0)
    app.footer("These are " + std::to_string(count - hidden) + " of " + std::to_string(count) +
               " flags: --help-all lists all.");
  for (CLI::App* command : app.get_subcommands({})) arrange_help(*command, all);
}

std::string flag_lines(const CLI::App& app) {
  std::string text;
  add_flag_lines(app, app.get_name(), text);
  return text;
}

std::string manual_page(const CLI::App& app, std::string_view version) {
  const std::string name = app.get_name();
  const auto commands = commands_of(app);
  std::string text = ".TH " + upper(name) + " 1 \"\" \"Frond " + std::string(version) + "\"\n.SH NAME\n" +
                     escaped(name) + " \\- " + escaped(app.get_description()) + "\n.SH SYNOPSIS\n.B " + escaped(name) +
                     (commands.empty() ? "\n[\\fIflags\\fR]\n" : "\n\\fIcommand\\fR [\\fIflags\\fR]\n") + ".SH FLAGS\n";
  for (const CLI::Option* flag : app.get_options()) text += flag_text(*flag);
  if (!commands.empty()) text += ".SH COMMANDS\n";
  for (const CLI::App* command : commands) {
    text += ".SS " + escaped(command->get_name()) + "\n" + escaped(command->get_description()) + ".\n";
    for (const CLI::Option* flag : command->get_options()) text += flag_text(*flag);
  }
  return text;
}

std::string bash_completion(const CLI::App& app) {
  const std::string name = app.get_name();
  std::string function = "_" + name, names, choices, values;
  std::ranges::replace(function, '-', '_');
  const auto add_values = [&values](const CLI::App& of) {
    for (const CLI::Option* flag : of.get_options())
      if (const std::string known = values_of(*flag); !known.empty())
        values += "    " + of.get_name() + ":--" + flag->get_lnames().at(0) + ") words=\"" + known + "\" ;;\n";
  };
  add_values(app);
  for (const CLI::App* command : commands_of(app)) {
    names += (names.empty() ? "" : " ") + command->get_name();
    choices += "    " + command->get_name() + ") words=\"" + flags_of(*command) + "\" ;;\n";
    add_values(*command);
  }
  const std::string own = flags_of(app);
  return function +
         "() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=" +
         name +
         " word words=\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \" " +
         names +
         " \" in *\" $word \"*) command=$word; break ;; esac\n"
         "  done\n"
         "  case $command in\n" +
         choices + "    *) words=\"" + names + (names.empty() ? "" : " ") + own +
         "\" ;;\n"
         "  esac\n"
         "  [[ $prev == --* && $cur != -* ]] && words=\n"
         "  case $command:$prev in\n" +
         values +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "}\n"
         "complete -o default -F " +
         function + " " + name + "\n";
}

}  // namespace frond::config
