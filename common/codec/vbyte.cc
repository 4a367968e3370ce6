#include "common/codec/vbyte.h"

#include <array>
#include <bit>
#include <vector>

#include "common/codec/distances.h"
#include "common/codec/endpoints.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo{.name = "vbyte", .id = 2, .family = "byte", .source = "Mallia 2019 §2 (Variable Byte)"};
constexpr std::uint64_t kTops = 0x8080808080808080ULL;

// The 7 low bits of each of the low five bytes, put together. Bytes above the number's are zero.
std::uint32_t without_tops(std::uint64_t bytes) {
  return static_cast<std::uint32_t>((bytes & 0x7f) | (bytes >> 1 & 0x3f80) | (bytes >> 2 & 0x1fc000) |
                                    (bytes >> 3 & 0xfe00000) | (bytes >> 4 & 0xf0000000));
}

// Fills `out` from [from, end), which has 8 readable bytes after it. False: the numbers do not end where the bytes do.
bool decode_bytes(const std::byte* from, const std::byte* end, std::span<std::uint32_t> out) {
  std::size_t i = 0;
  while (i < out.size()) {
    if (from >= end) return false;
    const auto word = load_le<std::uint64_t>(from);
    if ((word & kTops) == 0 && i + 8 <= out.size()) {  // eight numbers of one byte, as most are
      for (unsigned j = 0; j < 8; ++j) out[i + j] = static_cast<std::uint32_t>(word >> (8 * j) & 0xff);
      i += 8;
      from += 8;
      continue;
    }
    const std::uint64_t stops = ~word & (kTops & 0xffffffffffULL);
    if (stops == 0) return false;                    // longer than any number
    const std::uint64_t mine = stops ^ (stops - 1);  // up to the first byte's top that is not set
    out[i++] = without_tops(word & mine);
    from += (static_cast<unsigned>(std::countr_zero(stops)) + 1) / 8;
  }
  return from == end;
}

class VByte final : public ListCodec {
 public:
  const CodecInfo& info() const override { return kInfo; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    FROND_CHECK(!numbers.empty() && out.size() % 16 == 0);
    const std::size_t start = out.size();
    std::vector<std::uint32_t> ends;
    DocId before = kNoDoc;
    ByteWriter writer(out);
    for (std::size_t first = 0; first < numbers.size(); first += kBlockLength) {
      const auto block = numbers.subspan(first, std::min<std::size_t>(kBlockLength, numbers.size() - first));
      std::array<std::uint32_t, kBlockLength> distances;
      to_distances(block, kind, before, distances.data());
      before = block.back();
      for (std::size_t i = 0; i < block.size(); ++i) writer.put_varint(distances[i]);
      ends.push_back(static_cast<std::uint32_t>(out.size() - start));
    }
    append_endpoints(ends, {}, out);
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    const std::uint32_t blocks = blocks_of(count, kBlockLength);
    FROND_CHECK(block < blocks);
    const auto extent = extent_of(stream, blocks, block, 1);
    if (!extent) [[unlikely]]
      return corrupt_block("wrong endpoints", block);
    const auto numbers = out.first(std::min(kBlockLength, count - block * kBlockLength));
    if (!decode_bytes(stream.data() + extent->begin, stream.data() + extent->end, numbers)) [[unlikely]]
      return corrupt_block("numbers of another length", block);
    if (!from_distances(numbers, kind, before)) [[unlikely]]
      return corrupt_block("numbers out of range", block);
    return {};
  }
};

const VByte kVByte;

}  // namespace

const ListCodec& vbyte() { return kVByte; }

}  // namespace frond::codec
