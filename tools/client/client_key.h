#pragma once
// The API key that a command of `frond` sends.
#include <string>

#include "common/base/result.h"

namespace frond::tools {

// The environment variable with a key, for where there is no file. A flag with the key itself would show it to every
// user of the machine.
inline constexpr const char* kKeyVariable = "FROND_API_KEY";

// "Authorization: Bearer KEY\r\n" with the key in `file`, or in FROND_API_KEY if `file` is empty; empty if there is
// none. kInvalid: what is there is no key; the message does not repeat it. Otherwise errors name the file.
Result<std::string> authorization(const std::string& file);

}  // namespace frond::tools
