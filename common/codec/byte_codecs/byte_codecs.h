#pragma once
// Codec "vbyte": Variable Byte (Mallia 2019 §2): 7 bits a byte, low ones first; the top bit is set if the number
// goes on. Format: docs/formats/byte-codecs.md.
#include "common/codec/endpoints.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

const ListCodec& vbyte();

// Codec "varintgb": VarintGB (Dean 2009; Mallia 2019 §2): groups of four numbers, a byte of four lengths in front of
// each. Format: docs/formats/byte-codecs.md; lengths in length_codes.h.
const ListCodec& varintgb();

// Codec "streamvbyte": Stream VByte (Lemire, Kurz and Rupp 2018; Mallia 2019 §2): the numbers' bytes, and
// separately their lengths, so that a vector unit expands sixteen numbers at a time. Format:
// docs/formats/byte-codecs.md; lengths in length_codes.h.
const ListCodec& streamvbyte();

// Codecs "gpu-vbyte128" and "gpu-vbyte1024": GPU-VByte (Mallia 2019 §3.2, Figure 2, Algorithm 2): blocks of 128 or 1024
// numbers, each with all of its 2-bit lengths in front of the numbers' bytes, and endpoints. A warp or a thread block
// adds the lengths up, then each thread reads a number; a CPU decodes any 128 numbers of a longer block after adding up
// the lengths before them. Format: docs/formats/byte-codecs.md; lengths in length_codes.h, endpoints in endpoints.h.
inline constexpr unsigned kGpuVByteUnit = 4;  // bytes of an endpoint's unit: blocks begin on 4

const ListCodec& gpu_vbyte128();
const ListCodec& gpu_vbyte1024();

}  // namespace frond::codec
