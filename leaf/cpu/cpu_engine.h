#pragma once
// The engine `cpu`: runs plans one by one, each on one core, over list blobs in host memory. It has no state, so any
// thread may search. AND: conjunction.h; one list: single_term.h; OR: one of the algorithms in algorithms.h. Unranked
// plans: unranked.h.
#include "leaf/cpu/algorithms.h"
#include "leaf/engine/query_engine.h"

namespace frond::leaf::cpu {

class CpuEngine final : public engine::QueryEngine {
 public:
  // `name`: the engine's, not copied. `algorithm`: a name in algorithms.h, for OR of at least two terms.
  explicit CpuEngine(std::string_view name = "cpu", std::string_view algorithm = kAutomatic)
      : name_(name), disjunction_(disjunction_named(algorithm)) {}
  std::string_view name() const override { return name_; }
  bool can_run(const engine::Plan&) const override { return true; }
  std::vector<Result<engine::Outcome>> search(std::span<const engine::Plan> plans, const Clock& clock) override;

 private:
  Result<engine::Outcome> search_one(const engine::Plan& plan, const Clock& clock) const;

  const std::string_view name_;
  const DisjunctionAlgorithm& disjunction_;
};

}  // namespace frond::leaf::cpu
