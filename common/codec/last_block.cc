#include "common/codec/last_block.h"

#include "common/codec/bits/rice.h"
#include "common/codec/distances.h"

namespace frond::codec {

std::uint8_t encode_last_block(std::span<const std::uint32_t> distances, ByteBuffer& out) {
  const RiceChoice rice = choose_rice(distances);
  BitWriter bits(out);
  encode_rice(distances, rice.parameter, bits);
  return static_cast<std::uint8_t>(rice.parameter);
}

bool decode_last_block(ByteView payload, std::uint64_t begin, std::uint32_t parameter, Numbers kind, DocId before,
                       std::span<std::uint32_t, kBlockLength> out, std::uint32_t count) {
  if (parameter > 31 || begin > payload.size() || !decode_rice(payload.subspan(begin), 0, parameter, out.first(count)))
    return false;
  return from_distances(out, count, kind, before);
}

}  // namespace frond::codec
