// Any bytes are a stream whose single docIDs may be read along lines: what line_elements.h promises of garbage. Input
// as for list_codec (id of the codec modulo 4, a byte unused, count less one, docID looked for, stream), so that its
// corpus serves.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "common/codec/lines/line_elements.h"
#include "tests/support/aligned_stream.h"

namespace frond::codec {
namespace {

template <class Lines>
void read_elements(Lines lines, StreamWords stream, std::uint32_t count, DocId target) {
  if (!lines.open(stream, count)) return;
  const auto read = [&](const LineStretch& stretch, std::uint32_t index) {
    static_cast<void>(stretch.docid(stream, index));  // some docID
    for (const DocId last : {target, ~target, kNoDoc}) {
      const PositionRange range = stretch.where(target, last);
      FROND_CHECK(range.first <= range.end && range.end <= stretch.size);
    }
  };
  for (std::uint32_t position = 0; position < count; position += 1 + count / 16) {
    LineStretch stretch;
    if (!lines.stretch_of(stream, position, stretch)) continue;
    FROND_CHECK(stretch.first <= position && position - stretch.first < stretch.size);
    read(stretch, position - stretch.first);
    read(stretch, 0);
    read(stretch, stretch.size - 1);
  }
  if constexpr (std::is_same_v<Lines, HsLrcLines>) {
    LineStretch stretch;
    if (!lines.stretch_for(stream, target, stretch)) return;
    FROND_CHECK(lines.last_of_bucket(target) >= target);
    if (stretch.size > 0) read(stretch, stretch.size - 1);
  }
}

}  // namespace
}  // namespace frond::codec

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  ByteReader in(std::as_bytes(std::span(data, size)));
  const auto id = in.get<std::uint8_t>();
  in.get<std::uint8_t>();
  const std::uint32_t count = in.get<std::uint16_t>() + 1u;
  const auto target = in.get<std::uint32_t>();
  if (!in.ok()) return 0;
  const support::AlignedStream stream(in.get_bytes(in.left() / 16 * 16));
  switch (id % 4) {
    case 0:
      codec::read_elements(codec::SegmentLines(true), stream.words(), count, target);
      break;
    case 1:
      codec::read_elements(codec::SegmentLines(false), stream.words(), count, target);
      break;
    case 2:
      codec::read_elements(codec::HsLrcLines(), stream.words(), count, target);
      break;
    case 3:
      codec::read_elements(codec::LrcLines(), stream.words(), count, target);
      break;
  }
  return 0;
}
