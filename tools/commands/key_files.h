#pragma once
// The files that `frond keygen` writes.
#include <string>

#include "common/base/result.h"
#include "common/keys/api_key.h"

namespace frond::tools {

// Makes a pair of CURVE keys and writes PREFIX.secret (mode 0600) and PREFIX.public (0644), each 40 characters of Z85
// and a newline. Returns the public key's text. Errors: kInvalid if one of the files exists; neither is changed.
// kUnavailable if one cannot be written; neither is left behind.
Result<std::string> write_new_keys(const std::string& prefix);

// Makes an API key and writes PREFIX.key (0600), the key and a newline, and PREFIX.entry (0644), the line for a key
// file, which is returned. `entry` needs no digest. Errors are those of write_new_keys().
Result<std::string> write_new_api_key(const std::string& prefix, keys::KeyEntry entry);

}  // namespace frond::tools
