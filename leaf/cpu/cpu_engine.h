#pragma once
// The engine `cpu`: AND and OR on one core, a plan at a time, over list blobs in host memory. Holds no state: any
// number of threads may search. How: conjunction.h, single_term.h, and for OR one of the algorithms of algorithms.h.
#include "leaf/cpu/algorithms.h"
#include "leaf/engine/query_engine.h"

namespace frond::leaf::cpu {

class CpuEngine final : public engine::QueryEngine {
 public:
  // `name` is the engine's; `algorithm` is in algorithms.h: what evaluates OR of two terms or more.
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
