#pragma once
// The member `analyzer` of a manifest. Internal to this folder.
#include <nlohmann/json.hpp>

#include "common/repository/json_members.h"
#include "common/text/analyzer.h"

namespace frond::repository {

// After an error, which `members` keeps, the outcome is any valid one.
text::AnalyzerConfig read_analyzer(Members members);
nlohmann::json analyzer_to_json(const text::AnalyzerConfig& analyzer);

}  // namespace frond::repository
