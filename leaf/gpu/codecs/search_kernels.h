#pragma once
// The kernels of the served codecs (served_codecs.h): a search kernel for each, and what is launched for lists of any
// codecs. All are asynchronous. kDevice.
#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/admit.h"
#include "leaf/gpu/batch.h"
#include "leaf/gpu/codecs/served_codecs.h"

namespace frond::leaf::gpu::codecs {

#define FROND_DECLARE(function, id, docids, frequencies) \
  Result<void> search_##function(const BatchOnDevice& batch, device::StreamHandle stream);
FROND_GPU_CODECS(FROND_DECLARE)
#undef FROND_DECLARE

// For any served codecs: looked up for each block.
Result<void> start_mixed(const BatchOnDevice& batch, device::StreamHandle stream);
Result<void> count_hidden_mixed(const BatchOnDevice& batch, device::StreamHandle stream);
Result<void> search_mixed(const BatchOnDevice& batch, device::StreamHandle stream);
Result<void> write_docids_mixed(const DeviceList& list, DocId* to, device::StreamHandle stream);
Result<void> admit_mixed(const ListImage& image, std::byte* at, device::StreamHandle stream);

}  // namespace frond::leaf::gpu::codecs
