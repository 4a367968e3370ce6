#pragma once
// Flags of servers that limit what keys and addresses may ask for.
#include "common/config/command_line.h"
#include "common/keys/api_key.h"

namespace frond::keys {

// --max-rate-per-key, --max-in-flight-per-key, --max-rate-per-address and --max-in-flight-per-address. Both limits
// outlive the parsing.
void add_limit_flags(config::CommandLine& app, Limits& of_key, Limits& of_address);

}  // namespace frond::keys
