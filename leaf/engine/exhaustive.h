#pragma once
// The oracle: decodes every posting, adds up every document, sorts. Slow and obvious on purpose; the other engines are
// compared with it for ever (tests/differential). It prunes nothing, so it takes no notice of Plan::floor, and its
// `matches` is always exact.
#include "leaf/engine/query_engine.h"

namespace frond::leaf::engine {

class ExhaustiveEngine final : public QueryEngine {
 public:
  std::string_view name() const override { return "exhaustive"; }
  bool can_run(const Plan&) const override { return true; }
  std::vector<Result<Outcome>> search(std::span<const Plan> plans, const Clock& clock) override;
};

}  // namespace frond::leaf::engine
