#include "tools/papers/intersect/intersection_timing.h"

namespace frond::tools::papers {

using namespace bench;

Result<void> find_gpu() { return Error(Code::kDevice, "GPU: this build has no CUDA"); }

Result<std::vector<IntersectionTiming>> time_on_gpu(const IntersectionSet&, Method, const IntersectionOptions&) {
  return find_gpu().error();
}

}  // namespace frond::tools::papers
