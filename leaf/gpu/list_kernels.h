#pragma once
// Makes a copied list ready for kernels: writes its block entries, table and starts of runs, and checks that every
// block decodes to what the blob's index says. Kernels check nothing of the list later: device memory does not change.
#include <cstddef>
#include <cstdint>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/block_entry.h"
#include "leaf/gpu/list_image.h"

namespace frond::leaf::gpu {

// Asynchronous, in `stream`, in which the image was copied to `at` before. Adds the number of wrong blocks to `errors`,
// in device memory. Any bytes are safe to admit; a list with wrong blocks must not be given to other kernels. kDevice.
//
// A block is wrong if its numbers do not lie within their stream, if its docIDs do not ascend from the last of the
// block before to the one in the index, if they are not below the number of documents, or if a frequency is 0.
Result<void> admit(const ListImage& image, std::byte* at, std::uint32_t* errors, device::StreamHandle stream);

}  // namespace frond::leaf::gpu
