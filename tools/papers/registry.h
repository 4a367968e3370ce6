#pragma once
// The experiments of frond-papers, in one table: a new one is a line there and a function in experiments.h.
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "tools/papers/experiment.h"

namespace frond::tools::papers {

// By paper; tables, then figures.
std::span<const Experiment> all_experiments();

// Those with these ids, in the table's order; a paper's key stands for all of its own. Empty: all. kInvalid: names the
// id that there is not.
Result<std::vector<const Experiment*>> experiments_named(std::span<const std::string> ids);

}  // namespace frond::tools::papers
