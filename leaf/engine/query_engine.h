#pragma once
// Seam: evaluates queries on one partition. For the same plan every engine gives the same hits and scores, to the byte;
// `matches` may be a lower bound if the plan is ranked.
#include <span>
#include <string_view>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::engine {

class QueryEngine {
 public:
  virtual ~QueryEngine() = default;
  virtual std::string_view name() const = 0;
  virtual bool can_run(const Plan& plan) const = 0;
  // One result per plan, in order. A GPU evaluates the plans together, a CPU one by one. Errors: kCorrupt if a list
  // does not decode; kDeadline if the deadline passes before or during evaluation. May be called from several threads
  // at once.
  virtual std::vector<Result<Outcome>> search(std::span<const Plan> plans, const Clock& clock) = 0;
};

}  // namespace frond::leaf::engine
