#include "common/codec/binary_packing/simd_bp128.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "common/codec/bits/vertical.h"
#include "common/codec/block_index.h"
#include "common/codec/distances.h"
#include "common/codec/endpoints.h"

namespace frond::codec {
namespace {

using Block = std::array<std::uint32_t, kBlockLength>;

constexpr CodecInfo kInfo{
    .name = "simd-bp128", .id = 1, .family = "binary packing", .source = "Mallia 2019 §2; Lemire and Boytsov 2015"};

class SimdBp128 final : public ListCodec {
 public:
  constexpr SimdBp128() = default;
  const CodecInfo& info() const override { return kInfo; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    FROND_CHECK(!numbers.empty() && out.size() % 16 == 0);
    const std::size_t start = out.size();
    std::vector<std::uint8_t> widths;
    std::vector<std::uint32_t> checkpoints;
    std::uint32_t before = kNoDoc;
    for (std::size_t first = 0; first < numbers.size(); first += kBlockLength) {
      Block distances;
      const auto some = numbers.subspan(first, std::min<std::size_t>(kBlockLength, numbers.size() - first));
      to_distances(some, kind, before, distances.data());
      before = some.back();
      if (first > 0 && widths.size() % kGroupBlocks == 0)
        checkpoints.push_back(static_cast<std::uint32_t>((out.size() - start) / 16));
      widths.push_back(append(std::span(distances).first(some.size()), distances, out));
    }
    append_endpoints(checkpoints, std::as_bytes(std::span(widths)), out);
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    const std::size_t index = simd_bp_index_bytes(count);
    FROND_CHECK(block < blocks_of(count));
    if (stream.size() < index) [[unlikely]]
      return corrupt_block("no room for the index", block);
    const std::size_t payload = stream.size() - index;
    const std::byte* widths = stream.data() + payload;
    const std::byte* checkpoints = stream.data() + stream.size() - 4 * std::size_t{checkpoints_of(blocks_of(count))};
    const std::uint32_t width = static_cast<std::uint8_t>(widths[block]);
    const std::uint64_t begin = block_begin(widths, checkpoints, block);
    if ((block + 1) * std::uint64_t{kBlockLength} > count) [[unlikely]] {
      if (!decode_last_block(stream.first(payload), begin * 16, width, kind, before, out, count % kBlockLength))
        return corrupt_block("a wrong Rice code", block);
      return {};
    }
    if (width > 32 || (begin + width) * 16 > payload) [[unlikely]]
      return corrupt_block("a wrong width or offset", block);
    return decode_full(stream.data() + begin * 16, width, kind, block, before, out);
  }

 private:
  // Appends the code of one block; returns its width, or the Rice parameter of a last block that is not full.
  static std::uint8_t append(std::span<const std::uint32_t> distances, const Block& block, ByteBuffer& out) {
    if (distances.size() < kBlockLength) return encode_last_block(distances, out);
    std::uint32_t all = 0;
    for (const std::uint32_t distance : distances) all |= distance;
    const auto width = static_cast<unsigned>(std::bit_width(all));
    simd_bp_pack(block, width, out);
    return static_cast<std::uint8_t>(width);
  }

  Result<void> decode_full(const std::byte* bytes, std::uint32_t width, Numbers kind, std::uint32_t block, DocId before,
                           std::span<std::uint32_t, kBlockLength> out) const {
    if (kind == Numbers::kDocIds) {
      unpack_table().docids[width](bytes, before, out.data());
      // 128 distances of 24 bits add up to less than 2^32: if any sum wraps around, the last one is not above `before`.
      const bool fine = width <= 24 ? before == kNoDoc || out[kBlockLength - 1] > before : ascend(before, out);
      if (!fine) [[unlikely]]
        return corrupt_block("docIDs that do not ascend", block);
    } else {
      unpack_table().frequencies[width](bytes, 0, out.data());
      if (width == 32 && std::find(out.begin(), out.end(), 0u) != out.end()) [[unlikely]]
        return corrupt_block("a frequency of 0", block);
    }
    return {};
  }
};

const SimdBp128 kSimdBp128;

}  // namespace

const ListCodec& simd_bp128() { return kSimdBp128; }

}  // namespace frond::codec
