#pragma once
// The texts of a build: a line while it runs, a summary at its end.
#include <string>

#include "indexer/build.h"

namespace frond::indexer {

std::string progress_text(const BuildProgress& progress, double seconds);
std::string summary_text(const BuildSummary& summary);
std::string summary_json(const BuildSummary& summary);  // one object, one line

}  // namespace frond::indexer
