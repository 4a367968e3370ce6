#pragma once
// Codec "varintgb": VarintGB (Dean 2009; Mallia 2019 §2): groups of four numbers, a byte of four lengths in front of
// each. Format: docs/formats/byte-codecs.md; lengths in length_codes.h.
#include "common/codec/list_codec.h"

namespace frond::codec {

const ListCodec& varintgb();

}  // namespace frond::codec
