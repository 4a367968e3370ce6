#include "common/device_codec/decode_streams.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace frond::device_codec {
namespace {

struct Entry {
  std::string_view codec;
  Launch docids, frequencies;
};
constexpr Entry both(std::string_view codec, Launch launch) { return {codec, launch, launch}; }

constexpr Entry kDecoders[] = {
    both("simd-bp128", decode_simd_bp128),
    both("vbyte", decode_vbyte),
    both("varintgb", decode_varintgb),
    both("streamvbyte", decode_streamvbyte),
    both("gpu-vbyte128", decode_gpu_vbyte128),
    both("gpu-vbyte1024", decode_gpu_vbyte1024),
    both("bp32", decode_bp32),
    both("gpu-bp128", decode_gpu_bp128),
    both("gpu-bp256", decode_gpu_bp256),
    both("rice", decode_rice),
    both("pfordelta0", decode_pfordelta0),
    both("pfordelta1", decode_pfordelta1),
    both("pfordelta2", decode_pfordelta2),
    both("pfordelta3", decode_pfordelta3),
    both("pfordelta4", decode_pfordelta4),
    both("pfd", decode_pfd),
    both("newpfd", decode_newpfd),
    both("parapfor", decode_parapfor),
    {"lrc", decode_lrc, decode_simd_bp128},
    {"lrcseg", decode_lrcseg, decode_simd_bp128},
    {"seglrc", decode_seglrc, decode_simd_bp128},
    {"hs-lrc", decode_hs_lrc, decode_simd_bp128},
};

const Entry* decoder_of(const codec::ListCodec& codec) {
  const auto* found = std::find_if(std::begin(kDecoders), std::end(kDecoders),
                                   [&](const Entry& each) { return each.codec == codec.name(); });
  return found == std::end(kDecoders) ? nullptr : found;
}

}  // namespace

bool can_decode(const codec::ListCodec& codec) { return decoder_of(codec) != nullptr; }

Result<void> decode_streams(const codec::ListCodec& codec, const DecodeBatch& batch, device::StreamHandle stream) {
  const Entry* entry = decoder_of(codec);
  if (entry == nullptr) return Error(Code::kInvalid, std::string(codec.name()) + " has no decoder for the device");
  return (batch.output == Output::kFrequencies ? entry->frequencies : entry->docids)(batch, stream);
}

Result<void> check_decoded(const codec::ListCodec& codec, std::span<const std::uint32_t> corrupt_blocks) {
  for (std::size_t task = 0; task < corrupt_blocks.size(); ++task)
    if (corrupt_blocks[task] != 0)
      return Error(Code::kCorrupt, std::string(codec.name()) + ": " + std::to_string(corrupt_blocks[task]) +
                                       " corrupt blocks in list " + std::to_string(task));
  return {};
}

}  // namespace frond::device_codec
