#pragma once
// What a plan's counts, and its first hits in an order, must be, by decoding all of its lists, for comparison with a
// device's.
#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "leaf/engine/plan.h"

namespace frond::tools::bench {

// As Outcome::counts, of codes by document that count for themselves. kCorrupt.
Result<std::vector<std::vector<std::uint32_t>>> expected_counts(const leaf::engine::Plan& plan);
// As Outcome::hits of a plan with an order. kCorrupt.
Result<std::vector<topk::Hit>> expected_first(const leaf::engine::Plan& plan);

}  // namespace frond::tools::bench
