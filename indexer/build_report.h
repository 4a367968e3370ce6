#pragma once
// What a build tells: a line while it runs, a summary when it is done.
#include <string>

#include "indexer/build.h"

namespace frond::indexer {

std::string progress_text(const BuildProgress& progress, double seconds);
std::string summary_text(const BuildSummary& summary);
std::string summary_json(const BuildSummary& summary);  // one object, one line

}  // namespace frond::indexer
