#pragma once
// What decoding on the device takes and gives: streams of one codec, the bytes that codec::ListCodec::encode() made, in
// device memory. Plain structs, passed to kernels by value.
#include <cstdint>

#include "common/base/ids.h"

namespace frond::device_codec {

// A stream of `count` numbers. All of it is device memory.
struct StreamOnDevice {
  const std::uint32_t* words = nullptr;  // on 16 bytes; codec::kReadSlack readable bytes follow
  const DocId* lasts = nullptr;          // of docIDs: the last of every block; not read for frequencies
  std::uint32_t size = 0;                // bytes, a multiple of 16
  std::uint32_t count = 0;
};

// Blocks of one stream: all, or the ones that `blocks` names, in any order and as often as it likes.
struct DecodeTask {
  StreamOnDevice stream;
  const std::uint32_t* blocks = nullptr;  // device memory; null: 0, 1, 2, …
  std::uint32_t first_block = 0;          // blocks of the tasks before it in the batch
};

enum class Output : std::uint8_t {
  kDocIds,  // of streams of docIDs
  // Of streams of docIDs, without adding up: to the docID before, the first of a list to -1. Codecs that store docIDs
  // beside lines have none, and give docIDs.
  kGaps,
  kFrequencies,  // of streams of frequencies
};

// Block b of the batch goes to numbers[128 b, …); what lies behind a short block's numbers is unspecified, as is all of
// a corrupt one.
struct DecodeBatch {
  const DecodeTask* tasks = nullptr;  // device memory
  std::uint32_t task_count = 0, block_count = 0;
  Output output = Output::kDocIds;
  std::uint32_t* numbers = nullptr;         // device memory on 16 bytes, 128 places a block
  std::uint32_t* corrupt_blocks = nullptr;  // device memory, a count for each task, which is added to
};

}  // namespace frond::device_codec
