#pragma once
// Where `frond keygen` leaves its keys.
#include <string>

#include "common/base/result.h"

namespace frond::tools {

// Makes a pair of CURVE keys and writes it as PREFIX.secret (mode 0600) and PREFIX.public (0644): 40 characters of Z85
// and a newline each. Returns the public key's text. kInvalid: one of the files is there already, and both stay as they
// are; kUnavailable: it can't be written, and nothing is left behind.
Result<std::string> write_new_keys(const std::string& prefix);

}  // namespace frond::tools
