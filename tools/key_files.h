#pragma once
// The files that `frond keygen` writes.
#include <string>

#include "common/base/result.h"

namespace frond::tools {

// Makes a pair of CURVE keys and writes PREFIX.secret (mode 0600) and PREFIX.public (0644), each 40 characters of Z85
// and a newline. Returns the public key's text. Errors: kInvalid if one of the files exists; neither is changed.
// kUnavailable if one cannot be written; neither is left behind.
Result<std::string> write_new_keys(const std::string& prefix);

}  // namespace frond::tools
