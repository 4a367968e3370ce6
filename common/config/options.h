#pragma once
// Values of flags as text, parsed and checked alike in every process; common/config/command_line.h binds them to flags.
#include <cstdint>
#include <string_view>

#include "common/base/log.h"
#include "common/base/result.h"

namespace frond::config {

// The version that --version, build_info and HelloReply tell.
std::string_view version();

// "4096", "64KiB", "1.5GiB" (also K, M, G, T; KB = 1,000) to bytes. kInvalid.
Result<std::uint64_t> parse_byte_size(std::string_view text);

struct Shard {
  std::uint32_t number = 0;  // I
  std::uint32_t count = 1;   // N > I
};
// "I/N". kInvalid.
Result<Shard> parse_shard(std::string_view text);

// "debug", "info", "warn", "error". kInvalid.
Result<LogLevel> parse_log_level(std::string_view text);

}  // namespace frond::config
