#include "common/codec/binary_packing/gpu_bp.h"

#include "common/codec/bits/horizontal.h"
#include "common/codec/distances.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo128{.name = "gpu-bp128", .id = 8, .family = "binary packing", .source = "Mallia 2019 §3.1"};
constexpr CodecInfo kInfo256{.name = "gpu-bp256", .id = 9, .family = "binary packing", .source = "Mallia 2019 §3.1"};

template <std::uint32_t kLength>
class GpuBp final : public ListCodec {
 public:
  const CodecInfo& info() const override { return kLength == 128 ? kInfo128 : kInfo256; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    const auto ends = append_blocks<kLength>(numbers, kind, kGpuBpUnit, out, [&](auto distances) {
      const auto size = static_cast<std::uint32_t>(distances.size());
      pack_horizontal(distances, gpu_bp_width(blocks_of(size * width_of(distances), 32), size), out);
    });
    append_endpoints(ends, {}, out);
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    FROND_CHECK(block < blocks_of(count, kBlockLength));
    const std::uint32_t mine = block / (kLength / kBlockLength), part = block % (kLength / kBlockLength);
    const auto extent = extent_of(stream, blocks_of(count, kLength), mine, kGpuBpUnit);
    if (!extent) [[unlikely]]
      return corrupt_block("wrong endpoints", block);
    const std::uint32_t width =
        gpu_bp_width((extent->end - extent->begin) / kGpuBpUnit, std::min(kLength, count - mine * kLength));
    const std::uint32_t size = std::min(kBlockLength, count - block * kBlockLength);
    // gpu_bp_width() gives a width that fits, so the numbers end inside the stream.
    const std::size_t begin = extent->begin + std::size_t{part} * width * (kBlockLength / 8);
    unpack_horizontal(stream.data() + begin, width, out.data(), size);
    if (!from_distances(out, size, kind, before)) [[unlikely]]
      return corrupt_block("numbers out of range", block);
    return {};
  }
};

const GpuBp<128> kGpuBp128;
const GpuBp<256> kGpuBp256;

}  // namespace

const ListCodec& gpu_bp128() { return kGpuBp128; }
const ListCodec& gpu_bp256() { return kGpuBp256; }

}  // namespace frond::codec
