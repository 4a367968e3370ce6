#pragma once
// The engine `cpu`: runs plans one by one, each on one core, over list blobs in host memory. It has no state, so any
// thread may search.
#include "leaf/engine/query_engine.h"

namespace frond::leaf::cpu {

class CpuEngine final : public engine::QueryEngine {
 public:
  std::string_view name() const override { return "cpu"; }
  std::vector<Result<engine::Outcome>> search(std::span<const engine::Plan> plans, const Clock& clock) override;
};

}  // namespace frond::leaf::cpu
