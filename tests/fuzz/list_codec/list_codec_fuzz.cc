// Any bytes are a stream of every codec, or kCorrupt. Input: id of the codec (u8; any other: one by
// its place in the table), kind (u8), count less one (u16), docID before the block (u32), then the stream.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/codec/list_codec.h"
#include "tests/support/posting_lists.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  ByteReader in(std::as_bytes(std::span(data, size)));
  const auto id = in.get<std::uint8_t>();
  const codec::ListCodec* codec = codec::codec_with_id(id);
  if (!codec) codec = codec::all_codecs()[id % codec::all_codecs().size()];
  const auto kind = in.get<std::uint8_t>() % 2 ? codec::Numbers::kFrequencies : codec::Numbers::kDocIds;
  const std::uint32_t count = in.get<std::uint16_t>() + 1u;
  const auto before = in.get<std::uint32_t>();
  if (!in.ok()) return 0;
  const support::SlackBytes stream(in.get_bytes(in.left()));
  if (kind == codec::Numbers::kDocIds) {
    // Last docIDs of the blocks: the stream's bytes again, they are as foreign.
    const std::uint32_t blocks = (count - 1) / codec::kBlockLength + 1;
    ByteBuffer lasts(std::size_t{blocks} * 4);
    std::copy_n(stream.view().begin(), std::min(lasts.size(), stream.view().size()), lasts.begin());
    const auto range = codec->locate(stream.view(), count, codec::LastDocIds(lasts.data(), blocks), before);
    FROND_CHECK(range ? range->first <= range->end && range->end <= count : range == Code::kCorrupt);
  }
  std::array<std::uint32_t, codec::kBlockLength> out;
  for (std::uint32_t first = 0; first < count; first += codec::kBlockLength) {
    const DocId previous = first ? before : kNoDoc;
    const auto decoded = codec->decode(stream.view(), count, kind, first / codec::kBlockLength, previous, out);
    if (!decoded) {
      FROND_CHECK(decoded == Code::kCorrupt);
      continue;
    }
    const std::uint32_t length = std::min(codec::kBlockLength, count - first);
    for (std::uint32_t i = 0; i < length; ++i)
      if (kind == codec::Numbers::kFrequencies) {
        FROND_CHECK(out[i] >= 1);
      } else {
        FROND_CHECK(i ? out[i] > out[i - 1] : previous == kNoDoc || out[0] > previous);
      }
  }
  return 0;
}
