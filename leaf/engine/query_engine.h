#pragma once
// Seam: what evaluates queries on one partition. Every engine gives the same hits and scores for the same plan, to the
// byte; `matches` may be a lower bound.
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
  // One result a plan, in order. A batch, so that a GPU is natural; a CPU loops. kCorrupt: a list's bytes; kDeadline:
  // passed before or during evaluation (asked at least every few thousand postings). May be called from any thread,
  // several at a time.
  virtual std::vector<Result<Outcome>> search(std::span<const Plan> plans, const Clock& clock) = 0;
};

}  // namespace frond::leaf::engine
