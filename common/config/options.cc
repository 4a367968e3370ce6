#include "common/config/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "common/base/line_writer.h"
#include "common/config/version.h"

namespace frond::config {
namespace {

Error invalid(std::string_view text, std::string_view expected) {
  return Error(Code::kInvalid, "'" + std::string(text) + "' is not " + std::string(expected));
}

template <class T>
std::optional<T> number_of(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string environment_name(const std::string& flag) {
  std::string name = "FROND_" + flag;
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

void name_environment(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (!option->get_lnames().empty() && option != app.get_help_ptr() && option->get_lnames()[0] != "version")
      option->envname(environment_name(option->get_lnames()[0]));
  for (CLI::App* command : app.get_subcommands({})) name_environment(*command);
}

// CLI11 lets the file win over the environment; who deploys expects the opposite. So what the environment sets is left
// out of what the file says.
class FileBelowEnvironment final : public CLI::ConfigTOML {
 public:
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    auto found = CLI::ConfigTOML::from_config(input);
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

template <class Parse>
CLI::Validator checked(Parse parse, std::string name) {
  return CLI::Validator(
      [parse](std::string& text) {
        const auto value = parse(text);
        return value ? std::string() : value.error().message();
      },
      std::move(name));
}

}  // namespace

std::string_view version() { return FROND_VERSION; }

std::optional<int> parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.config_formatter(std::make_shared<FileBelowEnvironment>());
    app.set_config("--config", "", "File of `flag = value` lines");
    app.allow_config_extras(false);
    app.set_version_flag("--version", std::string(version()));
    name_environment(app);
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    return refuse(app, e.what());
  } catch (const std::exception& e) {
    return refuse(app, e.what());
  }
}

int refuse(const CLI::App& app, std::string_view message) {
  write_stderr(app.get_name() + ": " + one_line(std::string(message)) + "\n");
  return 2;
}

Result<std::uint64_t> parse_byte_size(std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto value = number_of<double>(text.substr(0, digits));
  std::string unit(text.substr(digits));
  unit.erase(0, unit.find_first_not_of(' '));
  struct Unit {
    std::string_view name;
    double bytes;
  };
  constexpr Unit kUnits[] = {{"", 1},       {"B", 1},        {"K", 0x1p10},   {"KiB", 0x1p10}, {"KB", 1e3},
                             {"M", 0x1p20}, {"MiB", 0x1p20}, {"MB", 1e6},     {"G", 0x1p30},   {"GiB", 0x1p30},
                             {"GB", 1e9},   {"T", 0x1p40},   {"TiB", 0x1p40}, {"TB", 1e12}};
  for (const Unit& known : kUnits)
    if (value && unit == known.name && *value * known.bytes < 0x1p63)
      return static_cast<std::uint64_t>(std::llround(*value * known.bytes));
  return invalid(text, "a size in bytes (such as 4096, 64KiB, 1.5GiB)");
}

Result<HostPort> parse_host_port(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto wrong = [&] { return invalid(text, "HOST:PORT"); };
  if (colon == std::string_view::npos) return wrong();
  std::string_view host = text.substr(0, colon);
  const auto port = number_of<std::uint16_t>(text.substr(colon + 1));
  if (!port) return wrong();
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos)
    return wrong();
  if (host.size() > 255 || host.find_first_of("/ []@\t\r\n") != std::string_view::npos) return wrong();
  return HostPort{std::string(host), *port};
}

Result<Shard> parse_shard(std::string_view text) {
  const auto slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto number = number_of<std::uint32_t>(text.substr(0, slash));
    const auto count = number_of<std::uint32_t>(text.substr(slash + 1));
    if (number && count && *number < *count) return Shard{*number, *count};
  }
  return invalid(text, "I/N with I below N");
}

Result<LogLevel> parse_log_level(std::string_view text) {
  constexpr std::string_view kNames[] = {"debug", "info", "warn", "error"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), text);
  if (found == std::end(kNames)) return invalid(text, "debug, info, warn or error");
  return static_cast<LogLevel>(found - std::begin(kNames));
}

CLI::Validator byte_size() {
  return CLI::Validator(
      [](std::string& text) {
        const auto bytes = parse_byte_size(text);
        if (!bytes) return bytes.error().message();
        text = std::to_string(*bytes);
        return std::string();
      },
      "BYTES");
}
void add_log_buffer(CLI::App& app, std::uint64_t& bytes) {
  app.add_option("--log-buffer", bytes,
                 "Bytes of the log that wait while nobody reads stderr; what comes then is dropped and counted")
      ->transform(byte_size() & CLI::Range(std::uint64_t{4} << 10, std::uint64_t{1} << 30))
      ->default_str("1MiB");
}

CLI::Validator host_port() { return checked(parse_host_port, "HOST:PORT"); }
CLI::Validator tcp_endpoint() {
  return checked(
      [](std::string_view text) -> Result<HostPort> {
        constexpr std::string_view kScheme = "tcp://";
        if (text.substr(0, kScheme.size()) != kScheme) return invalid(text, "tcp://HOST:PORT");
        return parse_host_port(text.substr(kScheme.size()));
      },
      "tcp://HOST:PORT");
}
CLI::Validator shard() { return checked(parse_shard, "I/N"); }
CLI::Validator log_level() { return checked(parse_log_level, "LEVEL"); }

}  // namespace frond::config
