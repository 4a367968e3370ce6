#pragma once
// The output of `frond load`.
#include <string>

#include "tools/load/load_generator.h"

namespace frond::tools {

// Lines for a person to read.
std::string to_text(const LoadReport& report);
// One JSON object on one line: throughput, latency in milliseconds, statuses, errors.
std::string to_json(const LoadReport& report, const LoadOptions& options);

}  // namespace frond::tools
