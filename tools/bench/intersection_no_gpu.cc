#include "tools/bench/intersection_timing.h"

namespace frond::tools::bench {

Result<void> find_gpu() { return Error(Code::kDevice, "GPU: this build has no CUDA"); }

Result<std::vector<IntersectionTiming>> time_on_gpu(const IntersectionSet&, leaf::gpu::intersect::Method,
                                                    const IntersectionOptions&) {
  return find_gpu().error();
}

}  // namespace frond::tools::bench
