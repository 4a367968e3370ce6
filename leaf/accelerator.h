#pragma once
// The leaf's GPU as main() sees it: there or not. accelerator_gpu.cc where the build has CUDA, accelerator_absent.cc
// where it has not.
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "leaf/engine/query_engine.h"

namespace frond::leaf {

class Accelerator {
 public:
  virtual ~Accelerator() = default;
  // One answer a plan, in order; none where the engine below must answer. Several threads at a time.
  virtual std::vector<std::optional<Result<engine::Outcome>>> try_search(std::span<const engine::Plan> plans,
                                                                         const Clock& clock) = 0;
  virtual std::string_view state() const = 0;  // "ready"; "lost": nothing is answered any more
  // A partition is about to be closed; nothing of it is read once this returns. Waits for a copy of its lists. Any
  // thread.
  virtual void forget(std::uint64_t partition) = 0;
};

// `below` is the engine that answers what the GPU does not, and outlives it. kDevice: no such device, or it can't be
// used, and why; kInvalid: too little memory. The registry may be scraped for as long as the accelerator lives.
Result<std::unique_ptr<Accelerator>> make_accelerator(int device, std::size_t memory_bytes, engine::QueryEngine& below,
                                                      metrics::Registry& registry);

}  // namespace frond::leaf
