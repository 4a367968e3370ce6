#pragma once
// The engine `cpu`: runs plans one by one, each on one core, over list blobs in host memory. It has no state, so any
// thread may search.
#include "leaf/cpu/algorithms.h"
#include "leaf/engine/query_engine.h"

namespace frond::leaf::cpu {

class CpuEngine final : public engine::QueryEngine {
 public:
  // `disjunction`: for OR of at least two terms. The engine has its name.
  explicit CpuEngine(const DisjunctionAlgorithm& disjunction = disjunctions().front()) : disjunction_(disjunction) {}
  std::string_view name() const override { return disjunction_.name; }
  std::vector<Result<engine::Outcome>> search(std::span<const engine::Plan> plans, const Clock& clock) override;

 private:
  Result<engine::Outcome> search_one(const engine::Plan& plan, const Clock& clock) const;

  const DisjunctionAlgorithm& disjunction_;
};

}  // namespace frond::leaf::cpu
