#pragma once
// Codecs "gpu-vbyte128" and "gpu-vbyte1024": GPU-VByte (Mallia 2019 §3.2, Figure 2, Algorithm 2): blocks of 128 or 1024
// numbers, each with all of its 2-bit lengths in front of the numbers' bytes, and endpoints. A warp or a thread block
// adds the lengths up, then each thread reads a number; a CPU decodes any 128 numbers of a longer block after adding up
// the lengths before them. Format: docs/formats/byte-codecs.md; lengths in length_codes.h, endpoints in endpoints.h.
#include "common/codec/endpoints.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

inline constexpr unsigned kGpuVByteUnit = 4;  // bytes of an endpoint's unit: blocks begin on 4

const ListCodec& gpu_vbyte128();
const ListCodec& gpu_vbyte1024();

}  // namespace frond::codec
