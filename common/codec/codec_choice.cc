#include "common/codec/codec_choice.h"

#include <utility>

namespace frond::codec {

CodecChoice::CodecChoice(const ListCodec& codec)
    : docids{codec.info().docids ? &codec : codec_named(kDefaultCodec)},
      frequencies{codec.info().frequencies ? &codec : codec_named(kDefaultCodec)} {}

const ListCodec& encode_smallest(std::span<const ListCodec* const> candidates, std::span<const std::uint32_t> numbers,
                                 Numbers kind, ByteBuffer& out) {
  FROND_CHECK(!candidates.empty());
  const ListCodec* best = candidates[0];
  if (candidates.size() == 1) {
    best->encode(numbers, kind, out);
    return *best;
  }
  ByteBuffer smallest, stream;
  best->encode(numbers, kind, smallest);
  for (const ListCodec* candidate : candidates.subspan(1)) {
    stream.clear();
    candidate->encode(numbers, kind, stream);
    if (stream.size() >= smallest.size()) continue;
    best = candidate;
    std::swap(smallest, stream);
  }
  out.insert(out.end(), smallest.begin(), smallest.end());
  return *best;
}

}  // namespace frond::codec
