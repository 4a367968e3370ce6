#pragma once
// A process's command line: flags bound to variables, commands, and rules for values. Every flag is also read from
// FROND_<FLAG> (dashes become underscores) and from --config FILE (lines of `flag = value`, sections for commands). The
// command line wins over the environment, the environment over the file. Used by main() only: a process reads its
// options once into a plain struct. One thread. CLI11 does the work; only command_line.cc sees it, because it takes ten
// seconds to compile.
//
//   config::CommandLine app("Serves partitions.", "frond-leaf");
//   app.add_option("--listen", options.listen, "…").required().check(config::leaf_endpoint());
//   app.add_option("--host-cache", options.cache, "…").transform(config::byte_size()).show_default("1GiB");
//   if (const auto exit_code = app.parse(argc, argv)) return *exit_code;
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace frond::objects {
struct Access;
}

namespace frond::config {

// What the text of a value must be.
class Rule {
 public:
  explicit Rule(CLI::Validator rule);
  Rule operator|(const Rule& other) const;  // one of both
  Rule operator&(const Rule& other) const;  // both, this one first
  const CLI::Validator& validator() const { return *rule_; }

 private:
  std::shared_ptr<const CLI::Validator> rule_;
};
Rule range(int min, int max);  // both included, as in the other two
Rule range(std::uint64_t min, std::uint64_t max);
Rule range(double min, double max);
Rule one_of(std::vector<std::string> names);
Rule byte_size();  // for Flag::transform: the variable receives the number of bytes
// The same, or "auto", for which it receives kAutoBytes: the program chooses by the machine (common/base/machine.h).
Rule byte_size_or_auto();
constexpr std::uint64_t kAutoBytes = ~std::uint64_t{0};
Rule host_port();       // common/config/options.h says more of these
Rule listen_address();  // a host_port, or unix:PATH
Rule leaf_endpoint();   // "tcp://" and a host_port, or ipc://PATH
Rule shard();
Rule log_level();
// A value that `why_not` gives no message for; `name` stands for it in --help.
Rule accepted(std::function<std::string(const std::string&)> why_not, std::string name);

// A flag or positional argument of a command line, which owns it.
class Flag {
 public:
  explicit Flag(CLI::Option& option) : option_(option) {}
  Flag& required();
  Flag& check(const Rule& rule);      // other values are refused
  Flag& transform(const Rule& rule);  // … and the rule may rewrite the text before the variable receives it
  Flag& show_default();               // --help prints the variable's present value
  Flag& show_default(const std::string& text);
  // A flag that users set. Where a command has such flags, --help lists these and the needed ones, under their groups'
  // names, at most 20 of a command (tests/monitoring/flags.py); --help-all lists all.
  Flag& group(const std::string& name);
  Flag& delimiter(char between);  // several values in one argument
  Flag& type_name(const std::string& name);
  Flag& needs(Flag& other);
  Flag& excludes(Flag& other);
  bool given() const;  // by command line, environment or file

 private:
  CLI::Option& option_;
};

class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& program);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `value` outlives the command line. T: bool is add_flag's; strings, paths, numbers, and vectors of them; an optional
  // number is empty where the flag is not given (command_line.cc lists the types).
  template <class T>
  Flag& add_option(const std::string& name, T& value, const std::string& help);
  Flag& add_flag(const std::string& name, bool& value, const std::string& help);

  CommandLine& add_command(const std::string& name, const std::string& description);
  void require_command();
  bool chosen() const;                           // after parsing: whether this command was named
  void on_chosen(std::function<void()> action);  // runs while parse() runs, if this command was named

  // Adds --config, --version and the environment's names to the finished command line, and parses. Gives an exit code
  // when the process should end: 0 after --help, --help-all, --version or --generate (manual.h), 2 after one line on
  // stderr that names the flag.
  std::optional<int> parse(int argc, const char* const* argv);
  // Prints "<program>: <message>" as one line on stderr; returns 2. For what is found wrong after parsing.
  int refuse(std::string_view message) const;

 private:
  explicit CommandLine(CommandLine& parent, CLI::App& app);
  int generate(std::string_view what) const;

  CommandLine* parent_ = nullptr;  // null: the program
  std::unique_ptr<CLI::App> owned_;
  CLI::App& app_;
  std::deque<Flag> flags_;
  std::deque<std::unique_ptr<CommandLine>> commands_;
};

// Flags of the usual kinds, which show their default: a number within bounds, one or more of some names, bytes, and a
// budget of bytes, which is auto unless it is given.
template <class T, class Bound>
Flag& add_number(CommandLine& line, const std::string& name, T& value, Bound min, Bound max, const std::string& help) {
  return line.add_option(name, value, help).check(range(min, max)).show_default();
}
template <class T>
Flag& add_choice(CommandLine& line, const std::string& name, T& value, std::vector<std::string> names,
                 const std::string& help) {
  return line.add_option(name, value, help).check(one_of(std::move(names))).show_default();
}
template <class T>
Flag& add_bytes(CommandLine& line, const std::string& name, T& value, const std::string& shown,
                const std::string& help) {
  return line.add_option(name, value, help).transform(byte_size()).show_default(shown);
}
inline Flag& add_budget(CommandLine& line, const std::string& name, std::uint64_t& value, const std::string& help) {
  value = kAutoBytes;
  return line.add_option(name, value, help).transform(byte_size_or_auto()).show_default("auto");
}

// Adds --log-buffer: the bytes of log that Logger keeps while stderr is not read.
void add_log_buffer(CommandLine& app, std::uint64_t& bytes);

// The flags that say how an object store is reached, for every process that takes s3://bucket/prefix.
// Keys are never flags: they come from the file that --s3-credentials names, or from the environment.
void add_object_flags(CommandLine& app, objects::Access& access);

}  // namespace frond::config
