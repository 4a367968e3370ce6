#pragma once
// Runs experiments, one after the other. What this machine cannot run, and what fails, is an outcome as well.
#include <functional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "tools/papers/experiments/workbench.h"
#include "tools/papers/report.h"

namespace frond::tools::papers {

struct RunOptions {
  std::vector<std::string> only;  // ids or papers; empty: all
  Sizes sizes;
  unsigned threads = 1;
  std::uint32_t seed = 1;
  IndexingOptions indexing = {};  // of Wei 2011; what it leaves out is as in Workbench::indexing()
  std::function<void(const Outcome&)> after_each = {};  // may be empty
};

// kInvalid: no such experiment; kUnavailable: no folder for temporary files.
Result<Run> run_experiments(const RunOptions& options);

}  // namespace frond::tools::papers
