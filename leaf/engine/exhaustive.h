#pragma once
// The reference for tests: decodes every posting, adds up every document's score, sorts. Slow and simple on purpose;
// tests/differential compares the other engines with it. It prunes nothing: it ignores Plan::floor, and `matches` is
// always exact.
#include "leaf/engine/query_engine.h"

namespace frond::leaf::engine {

class ExhaustiveEngine final : public QueryEngine {
 public:
  std::string_view name() const override { return "exhaustive"; }
  std::vector<Result<Outcome>> search(std::span<const Plan> plans, const Clock& clock) override;
};

}  // namespace frond::leaf::engine
