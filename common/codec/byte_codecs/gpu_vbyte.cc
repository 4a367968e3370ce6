#include "common/codec/byte_codecs/gpu_vbyte.h"

#include "common/codec/byte_codecs/length_codes.h"

namespace frond::codec {
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
