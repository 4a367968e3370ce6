#include "common/codec/byte_codecs/streamvbyte.h"

#include "common/codec/byte_codecs/length_codes.h"
#include "common/codec/endpoints.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo{.name = "streamvbyte",
                          .id = 4,
                          .family = "byte",
                          .source = "Mallia 2019 §2 (StreamVByte); Lemire, Kurz and Rupp 2018"};
constexpr std::size_t kCodesOfBlock = kBlockLength / 4;

class StreamVByte final : public ListCodec {
 public:
  const CodecInfo& info() const override { return kInfo; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    ByteBuffer codes;
    const auto ends = append_blocks<kBlockLength>(numbers, kind, 1, out,
                                                  [&](auto distances) { append_length_coded(distances, codes, out); });
    codes.resize((codes.size() + 3) / 4 * 4);
    append_endpoints(ends, codes, out);
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    const std::uint32_t blocks = blocks_of(count, kBlockLength);
    FROND_CHECK(block < blocks);
    const std::size_t codes_size = (std::size_t{blocks_of(count, 4)} + 3) / 4 * 4;
    const auto extent = extent_of(stream, blocks, block, 1, codes_size);
    if (!extent) [[unlikely]]
      return corrupt_block("wrong endpoints", block);
    // In a last block that is not full, endpoints behind its codes are decoded as codes too; their numbers are
    // dropped.
    const std::byte* codes = stream.data() + stream.size() - std::size_t{blocks} * 4 - codes_size;
    const ByteView own_codes(codes + block * kCodesOfBlock, kCodesOfBlock);
    const BytesOfBlock<kMaxLengthCodedBytes> data(stream, extent->begin,
                                                  [&] { return std::size_t{sum_of_lengths(own_codes)}; });
    const std::uint32_t size = std::min(kBlockLength, count - block * kBlockLength);
    if (!decode_length_coded(own_codes.data(), data.data(), kind, before, out, size)) [[unlikely]]
      return corrupt_block("numbers out of range", block);
    return {};
  }
};

const StreamVByte kStreamVByte;

}  // namespace

const ListCodec& streamvbyte() { return kStreamVByte; }

}  // namespace frond::codec
