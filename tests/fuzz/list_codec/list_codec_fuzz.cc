// Any bytes are a stream of every codec, or kCorrupt. Input: number of the codec (u8), kind (u8), count less one (u16),
// docID before the block (u32), then the stream.
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/codec/list_codec.h"
#include "tests/support/posting_lists.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  ByteReader in(std::as_bytes(std::span(data, size)));
  const codec::ListCodec* codec = codec::all_codecs()[in.get<std::uint8_t>() % codec::all_codecs().size()];
  const auto kind = in.get<std::uint8_t>() % 2 ? codec::Numbers::kFrequencies : codec::Numbers::kDocIds;
  const std::uint32_t count = in.get<std::uint16_t>() + 1u;
  const auto before = in.get<std::uint32_t>();
  if (!in.ok()) return 0;
  const support::SlackBytes stream(in.get_bytes(in.left()));
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
