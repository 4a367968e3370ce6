#pragma once
// The texts of a build: a line while it runs, a summary at its end; and what every command says of a generation.
#include <string>

#include "indexer/build/build.h"

namespace frond::indexer {

// "generation 7 of docs: 4 partitions, …".
std::string generation_text(const repository::Manifest& manifest);
std::string progress_text(const BuildProgress& progress, double seconds);
std::string summary_text(const BuildSummary& summary);
std::string summary_json(const BuildSummary& summary);  // one object, one line

}  // namespace frond::indexer
