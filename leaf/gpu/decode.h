#pragma once
// Lists to plain numbers in device memory: whole lists, many in one launch. Queries decode in registers and never come
// here; this is what decoding is measured with, and what tests look at.
#include <cstdint>
#include <span>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/block_entry.h"

namespace frond::leaf::gpu {

// A list to decode. `first_block`: the number of blocks of the lists before it in the batch.
struct DecodeTask {
  DeviceList list;
  std::uint32_t first_block = 0;
};

// docIDs and, where `frequencies` is not null, frequencies of all lists, each block to 128 places: block b of a task to
// [(first_block + b) * 128, …). What lies behind a short block's numbers is unspecified. `tasks` is device memory, the
// lists are admitted, outputs are on 16 bytes.
Result<void> decode_lists(const DecodeTask* tasks, std::uint32_t task_count, std::uint32_t block_count,
                          std::uint32_t* docids, std::uint32_t* frequencies, device::StreamHandle stream);

}  // namespace frond::leaf::gpu
