#include "common/device_codec/decode_streams.h"

#include <string>

namespace frond::device_codec {
namespace {

const Decoder* decoder_of(std::string_view codec) {
  for (const auto family : {binary_packing_decoders(), byte_codecs_decoders(), rice_decoders(), patched_decoders(),
                            pfordelta_decoders(), lines_decoders()})
    for (const Decoder& decoder : family)
      if (decoder.codec == codec) return &decoder;
  return nullptr;
}

}  // namespace

Result<void> decode_streams(const codec::ListCodec& codec, const DecodeBatch& batch, device::StreamHandle stream) {
  const Decoder* decoder = decoder_of(codec.name());
  if (decoder == nullptr) return Error(Code::kInvalid, std::string(codec.name()) + " has no decoder for the device");
  if (batch.output == Output::kFrequencies && !decoder->frequencies) decoder = decoder_of(codec::kDefaultCodec);
  return decoder->launch(decoder->kernel, batch, stream);
}

Result<void> check_decoded(const codec::ListCodec& codec, std::span<const std::uint32_t> corrupt_blocks) {
  for (std::size_t task = 0; task < corrupt_blocks.size(); ++task)
    if (corrupt_blocks[task] != 0)
      return Error(Code::kCorrupt, std::string(codec.name()) + ": " + std::to_string(corrupt_blocks[task]) +
                                       " corrupt blocks in list " + std::to_string(task));
  return {};
}

}  // namespace frond::device_codec
