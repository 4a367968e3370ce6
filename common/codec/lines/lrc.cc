#include "common/codec/lines/lrc.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "common/codec/binary_packing/simd_bp128.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo{.name = "lrc", .id = 19, .family = "linear regression", .source = "Ao 2011 §4.2, appendix H"};
constexpr unsigned kFraction = 32;

struct Header {
  Line line;
  std::uint32_t top, spread;  // top: base and spread together, which are no less than the first docID
};
Header header_of(ByteView stream) {
  return {{load_le<std::uint64_t>(stream.data()), kFraction},
          load_le<std::uint32_t>(stream.data() + 8),
          load_le<std::uint32_t>(stream.data() + 12)};
}

class Lrc final : public ListCodec {
 public:
  constexpr Lrc() = default;
  const CodecInfo& info() const override { return kInfo; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    if (kind == Numbers::kFrequencies) return simd_bp128().encode(numbers, kind, out);
    FROND_CHECK(!numbers.empty() && out.size() % 16 == 0);
    const Fit fit = narrowest(numbers, kFraction, ~std::uint64_t{0} / numbers.size());
    ByteWriter writer(out);
    writer.put(fit.line.slope);
    writer.put(static_cast<std::uint32_t>(fit.base + static_cast<std::int64_t>(fit.spread)));
    writer.put(static_cast<std::uint32_t>(fit.spread));
    const auto width = static_cast<unsigned>(std::bit_width(fit.spread));
    append_deviations(fit, numbers, width, out);
    writer.align(16);
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    if (kind == Numbers::kFrequencies) return simd_bp128().decode(stream, count, kind, block, before, out);
    const std::uint32_t first = block * kBlockLength, size = std::min(kBlockLength, count - first);
    FROND_CHECK(first < count);
    if (stream.size() < kLrcHeaderBytes) [[unlikely]]
      return corrupt_block("no room for the header", block);
    const Header header = header_of(stream);
    const auto width = static_cast<std::uint32_t>(std::bit_width(header.spread));
    const std::uint64_t begin = kLrcHeaderBytes + std::uint64_t{16} * width * block;
    if (begin + deviation_bytes(size, width) > stream.size()) [[unlikely]]
      return corrupt_block("no room for deviations", block);
    if (!docids_beside(header.line, first, header.top - header.spread, stream.data() + begin, width, size, before, out))
        [[unlikely]]
      return corrupt_block("docIDs that do not ascend", block);
    return {};
  }
};

const Lrc kLrc;

}  // namespace

const ListCodec& lrc() { return kLrc; }

}  // namespace frond::codec
