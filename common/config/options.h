#pragma once
// What the processes' command lines share: every flag is also read from FROND_<FLAG> (dashes become underscores) and
// from --config FILE (lines of `flag = value`, sections for subcommands); the command line wins over the environment,
// that over the file. Used from main() only: a process reads its options once into a plain struct.
//
//   CLI::App app("Serves partitions.", "frond-leaf");
//   app.add_option("--listen", options.listen, "…")->required()->check(config::tcp_endpoint());
//   app.add_option("--host-cache", options.cache, "…")->transform(config::byte_size());
//   if (const auto exit_code = config::parse(app, argc, argv)) return *exit_code;
#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/log.h"
#include "common/base/result.h"

namespace frond::config {

// The version that --version, build_info and HelloReply tell.
std::string_view version();

// Adds --config, --version and the environment names to the finished app, and parses. Gives an exit code when the
// process should end: 0 after --help or --version, 2 after one line on stderr that names the flag.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv);

// Prints "<program>: <message>" as one line on stderr; returns 2. For what is found wrong after parsing.
int refuse(const CLI::App& app, std::string_view message);

// "4096", "64KiB", "1.5GiB" (also K, M, G, T; KB = 1,000) to bytes. kInvalid.
Result<std::uint64_t> parse_byte_size(std::string_view text);

struct HostPort {
  std::string host;  // without the brackets of "[::1]:80"
  std::uint16_t port = 0;
};
// "host:port", "[v6]:port", ":port" (any address). kInvalid. Names are not looked up.
Result<HostPort> parse_host_port(std::string_view text);

struct Shard {
  std::uint32_t number = 0;  // I
  std::uint32_t count = 1;   // N > I
};
// "I/N". kInvalid.
Result<Shard> parse_shard(std::string_view text);

// "debug", "info", "warn", "error". kInvalid.
Result<LogLevel> parse_log_level(std::string_view text);

// Adds --log-buffer: what Logger keeps while nobody reads it.
void add_log_buffer(CLI::App& app, std::uint64_t& bytes);

// For Option::transform (byte_size: the option receives plain bytes) and Option::check.
CLI::Validator byte_size();
CLI::Validator host_port();
CLI::Validator tcp_endpoint();  // "tcp://" and a host_port
CLI::Validator shard();
CLI::Validator log_level();

}  // namespace frond::config
