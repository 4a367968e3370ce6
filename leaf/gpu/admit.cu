#include "leaf/gpu/admit.h"

#include "leaf/gpu/admission.cuh"
#include "leaf/gpu/codecs/packed_admission.cuh"
#include "leaf/gpu/codecs/search_kernels.h"

namespace frond::leaf::gpu {

Result<void> admit(const ListImage& image, std::byte* at, device::StreamHandle stream) {
  if (image.codecs() != kPackedCodecs && image.codecs() != kNoCodecs) return codecs::admit_mixed(image, at, stream);
  return launch_admission<codecs::PackedAdmission, 256>(image, at, stream);
}

}  // namespace frond::leaf::gpu
