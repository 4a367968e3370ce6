#include "common/codec/byte_codecs/varintgb.h"

#include "common/codec/byte_codecs/length_codes.h"
#include "common/codec/distances.h"
#include "common/codec/endpoints.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo{
    .name = "varintgb", .id = 3, .family = "byte", .source = "Mallia 2019 §2 (VarintGB), after Dean 2009"};

class VarintGB final : public ListCodec {
 public:
  const CodecInfo& info() const override { return kInfo; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    ByteBuffer code;
    const auto ends = append_blocks<kBlockLength>(numbers, kind, 1, out, [&](auto distances) {
      for (std::size_t i = 0; i < distances.size(); i += 4) {
        const std::size_t at = out.size();
        out.push_back(std::byte{0});
        code.clear();
        append_length_coded(distances.subspan(i, std::min<std::size_t>(4, distances.size() - i)), code, out);
        out[at] = code[0];
      }
    });
    append_endpoints(ends, {}, out);
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    const std::uint32_t blocks = blocks_of(count, kBlockLength);
    FROND_CHECK(block < blocks);
    const auto extent = extent_of(stream, blocks, block, 1);
    if (!extent) [[unlikely]]
      return corrupt_block("wrong endpoints", block);
    const BytesOfBlock<kMaxInterleavedBytes> bytes(stream, extent->begin);
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
