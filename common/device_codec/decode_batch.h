#pragma once
// Input and output of decoding on the device: streams of one codec, as codec::ListCodec::encode() made them, in device
// memory. Plain structs, passed to kernels by value.
#include <cstdint>

#include "common/base/ids.h"

namespace frond::device_codec {

// A stream of `count` numbers. All of it is device memory.
struct StreamOnDevice {
  const std::uint32_t* words = nullptr;  // aligned to 16 bytes; codec::kReadSlack readable bytes follow
  const DocId* lasts = nullptr;          // last docID of every block; unused for frequencies
  std::uint32_t size = 0;                // bytes, a multiple of 16
  std::uint32_t count = 0;
};

// Blocks of one stream: all, or those in `blocks`, in any order; a block may occur more than once.
struct DecodeTask {
  StreamOnDevice stream;
  const std::uint32_t* blocks = nullptr;  // device memory; null: 0, 1, 2, …
  std::uint32_t first_block = 0;          // blocks of the tasks before it in the batch
};

enum class Output : std::uint8_t {
  kDocIds,  // of streams of docIDs
  // The distance of each docID to the one before it; a list's first, to -1. Codecs of linear regression store no
  // distances and write docIDs.
  kGaps,
  kFrequencies,  // of streams of frequencies
};

// Block b of the batch is written to numbers[128 b, …). The places behind a short block's numbers, and all those of a
// corrupt block, are unspecified.
struct DecodeBatch {
  const DecodeTask* tasks = nullptr;  // device memory
  std::uint32_t task_count = 0, block_count = 0;
  Output output = Output::kDocIds;
  std::uint32_t* numbers = nullptr;         // device memory aligned to 16 bytes, 128 places a block
  std::uint32_t* corrupt_blocks = nullptr;  // device memory; a counter for each task, which is added to
};

}  // namespace frond::device_codec
