#pragma once
// Which kernels read which lists: the table of served codecs (served_codecs.h) for the host.
#include <cstddef>
#include <cstdint>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/batch.h"

namespace frond::leaf::gpu::codecs {

// Whether kernels read the codec with this id.
bool is_served(std::uint8_t codec);
// The fastest kernel for lists with these codecs of docIDs and of frequencies, both served. kMixedCodecs: no kernel is
// made for the pair, so the one that looks up the codecs of each block.
ListCodecs kernel_for(std::uint8_t docids, std::uint8_t frequencies);
// Bytes of device memory for the place of one full block, beside its entry; 0: the entry has it.
struct PlaceBytes {
  std::size_t docids = 0, frequencies = 0;
};
PlaceBytes place_bytes(std::uint8_t codec);

// Launches the search kernel of the batch's codecs, which are not kPackedCodecs; for a batch with priors the one that
// looks up the codecs of each block. As search::search_lists().
Result<void> search_lists(const BatchOnDevice& batch, device::StreamHandle stream);

}  // namespace frond::leaf::gpu::codecs
