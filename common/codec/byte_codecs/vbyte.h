#pragma once
// Codec "vbyte": Variable Byte (Mallia 2019 §2): 7 bits a byte, low ones first; the top bit is set if the number
// goes on. Format: docs/formats/byte-codecs.md.
#include "common/codec/list_codec.h"

namespace frond::codec {

const ListCodec& vbyte();

}  // namespace frond::codec
