#pragma once
// The engine `cpu`: AND and OR on one core, a plan at a time, over list blobs in host memory. Holds no state: any
// number of threads may search. How: conjunction.h, disjunction.h, single_term.h.
#include "leaf/engine/query_engine.h"

namespace frond::leaf {

class CpuEngine final : public QueryEngine {
 public:
  std::string_view name() const override { return "cpu"; }
  bool can_run(const Plan&) const override { return true; }
  std::vector<Result<Outcome>> search(std::span<const Plan> plans, const Clock& clock) override;
};

}  // namespace frond::leaf
