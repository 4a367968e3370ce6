#pragma once
// Decodes streams of every codec of the registry on the device: many lists in one launch, whole or selected blocks, one
// warp for each block. Tests compare it with ListCodec::decode(); `frond bench codec --processor gpu` measures it.
// (Mallia et al. 2019 §3; Ding et al. 2009 §6; Ao et al. 2011 §4.) leaf/gpu has its own decoder for ranked queries.
#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/codec/list_codec.h"
#include "common/device/runtime.h"

namespace frond::device_codec {

// Input and output of decoding on the device: streams of one codec, as codec::ListCodec::encode() made them, in device
// memory. Plain structs, passed to kernels by value.

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

// Launches the decoding of a batch in the stream. Blocks for which ListCodec::decode() returns kCorrupt
// are counted as corrupt; nothing is read outside the streams and their slack. Errors: kDevice; kInvalid if the device
// cannot decode the codec.
Result<void> decode_streams(const codec::ListCodec& codec, const DecodeBatch& batch, device::StreamHandle stream);

// Errors: kCorrupt; the message names the first list with a corrupt block. corrupt_blocks: the batch's, on the host.
Result<void> check_decoded(const codec::ListCodec& codec, std::span<const std::uint32_t> corrupt_blocks);

// A codec's decoder, for the tables of the families, which decode_streams.cc looks through.
struct Decoder {
  std::string_view codec;
  const char* kernel;  // as errors call it
  Result<void> (*launch)(const char* kernel, const DecodeBatch& batch, device::StreamHandle stream);
  bool frequencies = true;  // false: the codec stores them as simd-bp128
};
std::span<const Decoder> binary_packing_decoders();
std::span<const Decoder> byte_codecs_decoders();
std::span<const Decoder> rice_decoders();
std::span<const Decoder> patched_decoders();
std::span<const Decoder> pfordelta_decoders();
std::span<const Decoder> lines_decoders();

}  // namespace frond::device_codec
