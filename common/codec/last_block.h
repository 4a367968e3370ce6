#pragma once
// The last block of a list, if it is not full: a Rice code (bits/rice.h) of its distances less one. Most codecs use it,
// because slots of one width pay only for many numbers.
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

// Appends the code of 1 .. kBlockLength distances less one; returns the Rice parameter, for the codec to store.
std::uint8_t encode_last_block(std::span<const std::uint32_t> distances, ByteBuffer& out);

// Decodes `count`, 1 .. kBlockLength, numbers from byte `begin` of `payload` to the front of `out`, all of which may be
// written. kReadSlack bytes after `payload` are readable. Returns false if the bytes are no such code, docIDs do not
// ascend or a frequency is 0; any bytes are survived.
bool decode_last_block(ByteView payload, std::uint64_t begin, std::uint32_t parameter, Numbers kind, DocId before,
                       std::span<std::uint32_t, kBlockLength> out, std::uint32_t count);

}  // namespace frond::codec
