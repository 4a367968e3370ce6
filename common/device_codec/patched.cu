// Decodes pfd, newpfd and parapfor.
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"
#include "common/device_codec/patched.cuh"

namespace frond::device_codec {

std::span<const Decoder> patched_decoders() {
  static const Decoder kDecoders[] = {
      {"pfd", "decode_pfd", launch_decoder<Patched<Pfd>>},
      {"newpfd", "decode_newpfd", launch_decoder<Patched<NewPfd>>},
      {"parapfor", "decode_parapfor", launch_decoder<Patched<ParaPFor>>},
  };
  return kDecoders;
}

}  // namespace frond::device_codec
