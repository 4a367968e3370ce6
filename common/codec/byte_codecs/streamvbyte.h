#pragma once
// Codec "streamvbyte": Stream VByte (Lemire, Kurz and Rupp 2018; Mallia 2019 §2): the numbers' bytes, and
// separately their lengths, so that a vector unit expands sixteen numbers at a time. Format:
// docs/formats/byte-codecs.md; lengths in length_codes.h.
#include "common/codec/list_codec.h"

namespace frond::codec {

const ListCodec& streamvbyte();

}  // namespace frond::codec
