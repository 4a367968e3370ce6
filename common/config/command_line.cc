#include "common/config/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include "common/base/line_writer.h"
#include "common/base/lines.h"
#include "common/base/result.h"
#include "common/config/manual.h"
#include "common/config/options.h"
#include "common/files/descriptor.h"
#include "common/net/address.h"
#include "common/net/local_address.h"
#include "common/objects/place.h"

namespace frond::config {
namespace {

std::string environment_name(const std::string& flag) {
  std::string name = "FROND_" + flag;
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

void name_environment(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (!option->get_lnames().empty() && (is_own(*option) || option->get_lnames()[0] == "config"))
      option->envname(environment_name(option->get_lnames()[0]));
  for (CLI::App* command : app.get_subcommands({})) name_environment(*command);
}

void add_help(CLI::App& app) {
  app.set_help_flag("-h,--help", "Print the flags that users set, and exit")->group(kGeneral);
  app.set_help_all_flag("--help-all", "Print all flags, and exit")->group(kGeneral);
}

// CLI11 lets the file win over the environment. Operators expect the opposite, so values that the environment sets are
// left out of what the file says.
class FileBelowEnvironment final : public CLI::ConfigTOML {
 public:
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::string text{std::istreambuf_iterator<char>(input), {}};
    std::istringstream unmarked{std::string(without_mark(text))};
    auto found = CLI::ConfigTOML::from_config(unmarked);
    std::erase_if(found, [](const CLI::ConfigItem& item) {
      const char* set = std::getenv(environment_name(item.name).c_str());
      return set != nullptr && *set != '\0';
    });
    return found;
  }
};

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string names_of(const std::vector<const CLI::App*>& commands) {
  std::string names;
  for (const CLI::App* command : commands) names += (names.empty() ? "" : ", ") + command->get_name();
  return names;
}

// What a program did not expect of `left`, what it did not take, beginning with the first.
std::string unexpected(const CLI::App& app, const std::vector<std::string>& left, const std::string& program) {
  const std::string& first = left.front();
  if (!first.starts_with('-')) return "the argument '" + first + "' was not expected";
  const bool own = app.get_parent() == nullptr;
  return first.substr(0, first.find('=')) + " is no flag of " + app.get_name() +
         (own && !app.get_subcommands().empty() ? ": flags of a command follow it"
                                                : ": see " + program + (own ? "" : " " + app.get_name()) + " --help");
}

// One line for what is wrong. CLI11 looks first for what is missing: often it is there, with a slip in its name.
std::string said(const CLI::App& app, const CLI::ParseError& error) {
  const bool lacks = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (lacks || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    for (const CLI::App* at = &app; at != nullptr;) {
      const auto left = at->remaining();
      const auto commands = at->get_subcommands([](const CLI::App* command) { return !command->get_name().empty(); });
      const auto chosen = at->get_subcommands();
      if (!commands.empty() && chosen.empty() && (left.empty() || !left.front().starts_with('-')))
        return (left.empty() ? "a command is needed" : "'" + left.front() + "' is no command") + ": use one of " +
               names_of(commands);
      if (!left.empty()) return unexpected(*at, left, app.get_name());
      at = chosen.empty() ? nullptr : chosen.front();
    }
  }
  const bool of_file = dynamic_cast<const CLI::FileError*>(&error) != nullptr;
  if (!of_file && dynamic_cast<const CLI::ConfigError*>(&error) == nullptr) return error.what();
  constexpr std::string_view kUnread = "INI was not able to parse ";
  std::string what = error.what();
  if (what.starts_with(kUnread)) what = "'" + what.substr(kUnread.size()) + "' is no flag, or no line `flag = value`";
  return "--config: " + (of_file ? what : app.get_config_ptr()->as<std::string>() + ": " + what);
}

template <class Parse>
Rule parsed_by(Parse parse, std::string name) {
  return accepted(
      [parse](const std::string& text) {
        const auto value = parse(text);
        return value ? std::string() : value.error().message();
      },
      std::move(name));
}

}  // namespace

Rule::Rule(CLI::Validator rule) : rule_(std::make_shared<const CLI::Validator>(std::move(rule))) {}
Rule Rule::operator|(const Rule& other) const { return Rule(*rule_ | *other.rule_); }
Rule Rule::operator&(const Rule& other) const { return Rule(*rule_ & *other.rule_); }

Rule range(int min, int max) { return Rule(CLI::Range(min, max)); }
Rule range(std::uint64_t min, std::uint64_t max) { return Rule(CLI::Range(min, max)); }
// CLI::Range takes "nan", which is neither below nor above anything.
Rule range(double min, double max) {
  return accepted(
      [min, max](const std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value >= min && value <= max) return std::string();
        return "Value " + text + " not in range " + std::to_string(min) + " to " + std::to_string(max);
      },
      CLI::Range(min, max).get_description());
}
Rule one_of(std::vector<std::string> names) { return Rule(CLI::IsMember(std::move(names))); }
Rule accepted(std::function<std::string(const std::string&)> why_not, std::string name) {
  return Rule(
      CLI::Validator([why_not = std::move(why_not)](std::string& text) { return why_not(text); }, std::move(name)));
}
Rule byte_size() {
  return Rule(CLI::Validator(
      [](std::string& text) {
        const auto bytes = parse_byte_size(text);
        if (!bytes) return bytes.error().message();
        text = std::to_string(*bytes);
        return std::string();
      },
      "BYTES"));
}
Rule byte_size_or_auto() {
  return Rule(CLI::Validator(
      [](std::string& text) {
        const auto bytes = text == "auto" ? Result<std::uint64_t>(kAutoBytes) : parse_byte_size(text);
        if (!bytes) return bytes.error().message() + ", or auto";
        text = std::to_string(*bytes);
        return std::string();
      },
      "BYTES|auto"));
}
Rule host_port() { return parsed_by(net::parse_host_port, "HOST:PORT"); }
Rule listen_address() { return parsed_by(net::expect_listen_address, "HOST:PORT"); }
Rule leaf_endpoint() { return parsed_by(net::expect_leaf_endpoint, "tcp://HOST:PORT"); }
Rule shard() { return parsed_by(parse_shard, "I/N"); }
Rule log_level() { return parsed_by(parse_log_level, "LEVEL"); }

Flag& Flag::required() { return option_.required(), *this; }
Flag& Flag::check(const Rule& rule) { return option_.check(rule.validator()), *this; }
Flag& Flag::transform(const Rule& rule) { return option_.transform(rule.validator()), *this; }
Flag& Flag::show_default() { return option_.capture_default_str(), *this; }
Flag& Flag::show_default(const std::string& text) { return option_.default_str(text), *this; }
Flag& Flag::group(const std::string& name) { return option_.group(name), *this; }
Flag& Flag::delimiter(char between) { return option_.delimiter(between), *this; }
Flag& Flag::type_name(const std::string& name) { return option_.type_name(name), *this; }
Flag& Flag::needs(Flag& other) { return option_.needs(&other.option_), *this; }
Flag& Flag::excludes(Flag& other) { return option_.excludes(&other.option_), *this; }
bool Flag::given() const { return option_.count() > 0; }

CommandLine::CommandLine(const std::string& description, const std::string& program)
    : owned_(std::make_unique<CLI::App>(description, program)), app_(*owned_) {
  add_help(app_);
}
CommandLine::CommandLine(CommandLine& parent, CLI::App& app) : parent_(&parent), app_(app) { add_help(app_); }
CommandLine::~CommandLine() = default;

template <class T>
Flag& CommandLine::add_option(const std::string& name, T& value, const std::string& help) {
  return flags_.emplace_back(*app_.add_option(name, value, help));
}
template Flag& CommandLine::add_option(const std::string&, std::string&, const std::string&);
template Flag& CommandLine::add_option(const std::string&, std::filesystem::path&, const std::string&);
template Flag& CommandLine::add_option(const std::string&, int&, const std::string&);
template Flag& CommandLine::add_option(const std::string&, std::uint32_t&, const std::string&);
template Flag& CommandLine::add_option(const std::string&, std::uint64_t&, const std::string&);
template Flag& CommandLine::add_option(const std::string&, double&, const std::string&);
template Flag& CommandLine::add_option(const std::string&, std::optional<double>&, const std::string&);
template Flag& CommandLine::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Flag& CommandLine::add_option(const std::string&, std::vector<std::filesystem::path>&, const std::string&);
template Flag& CommandLine::add_option(const std::string&, std::vector<int>&, const std::string&);
template Flag& CommandLine::add_option(const std::string&, std::vector<std::uint32_t>&, const std::string&);
template Flag& CommandLine::add_option(const std::string&, std::vector<std::uint64_t>&, const std::string&);
template Flag& CommandLine::add_option(const std::string&, std::vector<double>&, const std::string&);

Flag& CommandLine::add_flag(const std::string& name, bool& value, const std::string& help) {
  return flags_.emplace_back(*app_.add_flag(name, value, help));
}

CommandLine& CommandLine::add_command(const std::string& name, const std::string& description) {
  return *commands_.emplace_back(new CommandLine(*this, *app_.add_subcommand(name, description)));
}
void CommandLine::require_command() { app_.require_subcommand(1); }
bool CommandLine::chosen() const { return app_.parsed(); }
void CommandLine::on_chosen(std::function<void()> action) { app_.callback(std::move(action)); }

std::optional<int> CommandLine::parse(int argc, const char* const* argv) {
  try {
    app_.config_formatter(std::make_shared<FileBelowEnvironment>());
    app_.set_config("--config", "", "File of `flag = value` lines")
        ->group(kGeneral)
        ->check([](const std::string& file) {
          const auto opened = files::open_input(file);  // CLI11 would wait for a pipe
          return opened || opened.error().code() == Code::kNotFound ? std::string() : opened.error().message();
        });
    app_.allow_config_extras(false);
    app_.set_version_flag("--version", std::string(version()))->group(kGeneral);
    name_environment(app_);
    if (argc == 3 && std::string_view(argv[1]) == "--generate") return generate(argv[2]);
    app_.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    arrange_help(app_, dynamic_cast<const CLI::CallForAllHelp*>(&e) != nullptr);
    if (e.get_exit_code() == 0) return app_.exit(e);
    return refuse(said(app_, e));
  } catch (const std::exception& e) {
    return refuse(e.what());
  }
}

int CommandLine::generate(std::string_view what) const {
  if (what == "man")
    std::cout << manual_page(app_, version());
  else if (what == "bash")
    std::cout << bash_completion(app_);
  else if (what == "flags")
    std::cout << flag_lines(app_);
  else
    return refuse("--generate: '" + std::string(what) + "' is none of man, bash, flags");
  std::cout << std::flush;
  return 0;  // finish_output() says whether it was written
}

int CommandLine::refuse(std::string_view message) const {
  if (parent_ != nullptr) return parent_->refuse(message);
  write_stderr(app_.get_name() + ": " + one_line(std::string(message)) + "\n");
  return 2;
}

void add_log_buffer(CommandLine& app, std::uint64_t& bytes) {
  app.add_option("--log-buffer", bytes,
                 "Max bytes of log lines that wait until stderr is read; further lines are dropped and counted")
      .transform(byte_size() & range(std::uint64_t{4} << 10, std::uint64_t{1} << 30))
      .show_default("1MiB");
}

void add_object_flags(CommandLine& app, objects::Access& access) {
  app.add_option("--s3-endpoint", access.endpoint,
                 "Server of an s3:// repository, http[s]://HOST[:PORT]; default: Amazon's for the region")
      .group("Object storage");
  app.add_option("--s3-region", access.region, "Region that requests are signed for")
      .show_default()
      .group("Object storage");
  app.add_option("--s3-path-style", access.path_style,
                 "on: the bucket is in the path; off: in the host's name; auto: on if there is an --s3-endpoint")
      .check(one_of({"auto", "on", "off"}))
      .show_default();
  app.add_option("--s3-credentials", access.credentials_file,
                 "File with aws_access_key_id and aws_secret_access_key, read again when it changes; default: the "
                 "environment's AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN")
      .type_name("FILE")
      .group("Object storage");
  app.add_option("--s3-part", access.part_bytes,
                 "Size of the ranges and parts that objects are read and written in, at least 5MiB")
      .transform(byte_size())
      .show_default("8MiB");
  app.add_option("--s3-connections", access.connections,
                 "Ranges or parts of one file that are moved at a time; each takes --s3-part of memory")
      .check(range(1, 64))
      .show_default();
  app.add_option("--s3-attempts", access.retries.attempts,
                 "How often a request that failed is sent, within two minutes, before the operation fails")
      .check(range(1, 100))
      .show_default();
  app.add_option("--s3-first-answer-seconds", access.retries.first_answer_s,
                 "How long a server that has never answered is asked, before the operation fails")
      .check(range(1, 600))
      .show_default();
}

}  // namespace frond::config
