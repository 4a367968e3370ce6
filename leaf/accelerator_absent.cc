#include "leaf/accelerator.h"

namespace frond::leaf {

Result<std::unique_ptr<Accelerator>> make_accelerator(const Options&, engine::QueryEngine&, metrics::Registry&,
                                                      Logger&) {
  return Error(Code::kDevice, "GPU: this build has no CUDA");
}

void give_up_gpu(int) {}

}  // namespace frond::leaf
