#pragma once
// Fits the regressions of the leaf's cost model (leaf/schedule/cost_model.h) to measured times: least squares of the
// logarithm by ridge regression, then small trees, each fitted to what is still wrong (gradient boosting, Friedman
// 2001).
#include <span>

#include "leaf/schedule/cost_model.h"

namespace frond::tools::bench {

struct CostSample {
  leaf::schedule::CostInputs inputs{};
  double us = 0;  // measured; > 0
};

// Deterministic. `samples` may be empty: then the regression predicts one microsecond.
leaf::schedule::CostRegression fit_costs(std::span<const CostSample> samples,
                                         std::size_t max_trees = leaf::schedule::CostRegression::kMaxTrees);

// |predicted - measured| / measured over samples.
struct RelativeErrors {
  std::size_t count = 0;
  double mean = 0, median = 0, p90 = 0;
  double bias = 1;  // sum of the predictions by sum of the measured
};
RelativeErrors errors_of(std::span<const double> predicted, std::span<const double> measured);

}  // namespace frond::tools::bench
