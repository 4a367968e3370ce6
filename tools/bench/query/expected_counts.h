#pragma once
// What a plan's counts must be, by decoding all of its lists, for comparison with a device's.
#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "leaf/engine/plan.h"

namespace frond::tools::bench {

// As Outcome::counts. kCorrupt.
Result<std::vector<std::vector<std::uint32_t>>> expected_counts(const leaf::engine::Plan& plan);

}  // namespace frond::tools::bench
