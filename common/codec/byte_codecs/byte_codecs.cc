#include "common/codec/byte_codecs/byte_codecs.h"

#include "common/codec/byte_codecs/length_codes.h"
#include "common/codec/distances.h"
#include "common/codec/endpoints.h"

namespace frond::codec {

namespace {

constexpr CodecInfo kVarintGBInfo{
    .name = "varintgb", .id = 3, .family = "byte", .source = "Mallia 2019 §2 (VarintGB), after Dean 2009"};

class VarintGB final : public ListCodec {
 public:
  const CodecInfo& info() const override { return kVarintGBInfo; }

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

namespace {

constexpr CodecInfo kStreamVByteInfo{.name = "streamvbyte",
                                     .id = 4,
                                     .family = "byte",
                                     .source = "Mallia 2019 §2 (StreamVByte); Lemire, Kurz and Rupp 2018"};
constexpr std::size_t kCodesOfBlock = kBlockLength / 4;

class StreamVByte final : public ListCodec {
 public:
  const CodecInfo& info() const override { return kStreamVByteInfo; }

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

namespace {

constexpr CodecInfo kInfo128{.name = "gpu-vbyte128", .id = 5, .family = "byte", .source = "Mallia 2019 §3.2"};
constexpr CodecInfo kInfo1024{.name = "gpu-vbyte1024", .id = 6, .family = "byte", .source = "Mallia 2019 §3.2"};

template <std::uint32_t kLength>
class GpuVByte final : public ListCodec {
 public:
  const CodecInfo& info() const override { return kLength == 128 ? kInfo128 : kInfo1024; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    const auto ends = append_blocks<kLength>(numbers, kind, kGpuVByteUnit, out, [&](auto distances) {
      ByteBuffer data;
      append_length_coded(distances, out, data);
      ByteWriter(out).put_bytes(data);
      ByteWriter(out).align(kGpuVByteUnit);
    });
    append_endpoints(ends, {}, out);
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    FROND_CHECK(block < blocks_of(count, kBlockLength));
    const std::uint32_t mine = block / (kLength / kBlockLength), part = block % (kLength / kBlockLength);
    const auto extent = extent_of(stream, blocks_of(count, kLength), mine, kGpuVByteUnit);
    if (!extent) [[unlikely]]
      return corrupt_block("wrong endpoints", block);
    const ByteView bytes = stream.subspan(extent->begin, extent->end - extent->begin);
    const std::size_t codes = blocks_of(std::min(kLength, count - mine * kLength), 4);
    const std::size_t own = std::size_t{part} * (kBlockLength / 4);  // code bytes before the part's
    if (codes > bytes.size()) [[unlikely]]
      return corrupt_block("lengths cut off", block);
    const std::size_t from = codes + sum_of_lengths(bytes.first(own));
    if (from > bytes.size()) [[unlikely]]
      return corrupt_block("numbers cut off", block);
    // In a part that is not full, bytes behind its codes are decoded as codes too; their numbers are dropped.
    const std::uint32_t size = std::min(kBlockLength, count - block * kBlockLength);
    const ByteView own_codes(bytes.data() + own, kBlockLength / 4);
    const BytesOfBlock<kMaxLengthCodedBytes> data(stream, extent->begin + from,
                                                  [&] { return std::size_t{sum_of_lengths(own_codes)}; });
    if (!decode_length_coded(own_codes.data(), data.data(), kind, before, out, size)) [[unlikely]]
      return corrupt_block("numbers out of range", block);
    return {};
  }
};

const GpuVByte<128> kGpuVByte128;
const GpuVByte<1024> kGpuVByte1024;

}  // namespace

const ListCodec& gpu_vbyte128() { return kGpuVByte128; }
const ListCodec& gpu_vbyte1024() { return kGpuVByte1024; }

}  // namespace frond::codec
