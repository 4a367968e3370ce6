#include "common/codec/varintgb.h"

#include <array>
#include <vector>

#include "common/codec/distances.h"
#include "common/codec/endpoints.h"
#include "common/codec/length_codes.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo{
    .name = "varintgb", .id = 3, .family = "byte", .source = "Mallia 2019 §2 (VarintGB), after Dean 2009"};

class VarintGB final : public ListCodec {
 public:
  const CodecInfo& info() const override { return kInfo; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    FROND_CHECK(!numbers.empty() && out.size() % 16 == 0);
    const std::size_t start = out.size();
    std::vector<std::uint32_t> ends;
    ByteBuffer code;
    DocId before = kNoDoc;
    for (std::size_t first = 0; first < numbers.size(); first += kBlockLength) {
      const auto block = numbers.subspan(first, std::min<std::size_t>(kBlockLength, numbers.size() - first));
      std::array<std::uint32_t, kBlockLength> distances;
      to_distances(block, kind, before, distances.data());
      before = block.back();
      for (std::size_t i = 0; i < block.size(); i += 4) {
        const std::size_t at = out.size();
        out.push_back(std::byte{0});
        code.clear();
        append_length_coded(std::span(distances).subspan(i, std::min<std::size_t>(4, block.size() - i)), code, out);
        out[at] = code[0];
      }
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
    const BytesOfBlock<kInterleavedMost> bytes(stream, extent->begin);
    decode_interleaved(bytes.data(), out.data());
    if (!from_distances(out, std::min(kBlockLength, count - block * kBlockLength), kind, before)) [[unlikely]]
      return corrupt_block("numbers out of range", block);
    return {};
  }
};

const VarintGB kVarintGB;

}  // namespace

const ListCodec& varintgb() { return kVarintGB; }

}  // namespace frond::codec
