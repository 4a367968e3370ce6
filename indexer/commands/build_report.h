#pragma once
// What is said of a build: a line on the terminal and HTTP for Prometheus while it runs, a summary at its end; and what
// every command says of a generation.
#include <memory>
#include <string>
#include <thread>

#include "common/base/result.h"
#include "indexer/build/build.h"

namespace frond::indexer {

// "generation 7 of docs: 4 partitions, …".
std::string generation_text(const repository::Manifest& manifest);
std::string progress_text(const BuildProgress& progress, double seconds);
std::string summary_text(const BuildSummary& summary);
std::string summary_json(const BuildSummary& summary);  // one object, one line

// A line that is updated as long as the thread exists. No thread if stderr is no terminal.
std::jthread progress_line(const BuildProgress& progress);

// Serves /metrics and /livez, from a thread of its own, as long as what it gives exists; `progress`, `requests` (to an
// object store) and `logger` outlive it. kInvalid: the address is malformed; kUnavailable: the port is in use.
Result<std::shared_ptr<void>> serve_status(const std::string& listen, const BuildProgress& progress,
                                           const objects::Counts& requests, const Logger& logger);

}  // namespace frond::indexer
