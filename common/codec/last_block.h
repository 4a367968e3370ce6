#pragma once
// The last block of a list where it is not full: a Rice code (rice.h) of its distances less one. Most codecs end so,
// because a slot of one width for every number pays only where there are many.
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

// Appends the code of 1 .. kBlockLength distances less one; returns the Rice parameter, which the stream keeps.
std::uint8_t encode_last_block(std::span<const std::uint32_t> distances, ByteBuffer& out);

// Decodes 1 .. kBlockLength numbers to the begin of `out`, of which all may be written, from byte `begin` of `payload`,
// which has kReadSlack readable bytes behind it. Any bytes are survived: false where they are no such code, or of
// docIDs that do not ascend, or of a frequency of 0.
bool decode_last_block(ByteView payload, std::uint64_t begin, std::uint32_t parameter, Numbers kind, DocId before,
                       std::span<std::uint32_t, kBlockLength> out, std::uint32_t count);

}  // namespace frond::codec
