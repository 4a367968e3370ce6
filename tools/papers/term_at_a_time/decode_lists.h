#pragma once
// Decodes whole lists to plain numbers in device memory, many lists in one launch, as the papers' engines do before
// they score. Our engine decodes in registers instead. For measuring decoding, and for tests that look at a list's
// image.
#include <cstdint>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/block_entry.h"

namespace frond::tools::papers {

// A list to decode. `first_block`: the number of blocks of the lists before it in the batch.
struct DecodeTask {
  leaf::gpu::DeviceList list;
  std::uint32_t first_block = 0;
};

// Writes the docIDs and, if `frequencies` is not null, the frequencies of all lists, 128 places a block: block b of a
// task goes to [(first_block + b) * 128, …). The places behind a short block's numbers are unspecified. `tasks` is in
// device memory, lists are admitted (leaf/gpu/list_kernels.h), outputs are aligned to 16 bytes. `block_count`: of all
// lists together.
Result<void> decode_lists(const DecodeTask* tasks, std::uint32_t task_count, std::uint32_t block_count,
                          std::uint32_t* docids, std::uint32_t* frequencies, device::StreamHandle stream);

}  // namespace frond::tools::papers
