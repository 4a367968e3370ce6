#include "common/codec/binary_packing/bp32.h"

#include <array>
#include <vector>

#include "common/codec/bits/horizontal.h"
#include "common/codec/distances.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo{.name = "bp32", .id = 7, .family = "binary packing", .source = "Mallia 2019 §2 (BP32)"};

// Sum of the bytes of `count` <= 7 words.
std::uint32_t sum_of_bytes(const std::byte* words, std::uint32_t count) {
  std::uint32_t pairs = 0;  // two sums of 16 bits
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto word = load_le<std::uint32_t>(words + 4 * std::size_t{i});
    pairs += (word & 0x00ff00ff) + (word >> 8 & 0x00ff00ff);
  }
  return (pairs & 0xffff) + (pairs >> 16);
}

class Bp32 final : public ListCodec {
 public:
  const CodecInfo& info() const override { return kInfo; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    FROND_CHECK(!numbers.empty() && out.size() % 16 == 0);
    const std::size_t start = out.size();
    std::vector<std::uint32_t> checkpoints;
    ByteBuffer index;  // widths, then checkpoints
    DocId before = kNoDoc;
    for (std::size_t first = 0; first < numbers.size(); first += kBp32Group) {
      if (first > 0 && first % (kBp32CheckpointBlocks * kBlockLength) == 0)
        checkpoints.push_back(static_cast<std::uint32_t>((out.size() - start) / 4));
      const auto group = numbers.subspan(first, std::min<std::size_t>(kBp32Group, numbers.size() - first));
      std::array<std::uint32_t, kBp32Group> distances;
      to_distances(group, kind, before, distances.data());
      before = group.back();
      const auto some = std::span(distances).first(group.size());
      const unsigned width = width_of(some);
      index.push_back(static_cast<std::byte>(width));
      pack_horizontal(some, width, out);
    }
    ByteWriter(index).align(4);
    append_endpoints(checkpoints, index, out);
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    FROND_CHECK(block < blocks_of(count, kBlockLength));
    const std::size_t index = bp32_index_bytes(count);
    if (stream.size() < index) [[unlikely]]
      return corrupt_block("no room for the index", block);
    const std::size_t payload = stream.size() - index;
    const std::byte* widths = stream.data() + payload;
    const std::byte* checkpoints = stream.data() + stream.size() - 4 * std::size_t{bp32_checkpoints(count)};
    const std::uint32_t stretch = block / kBp32CheckpointBlocks, inside = block % kBp32CheckpointBlocks;
    const std::byte* own = widths + 4 * std::size_t{block};
    std::uint64_t at = stretch ? load_le<std::uint32_t>(checkpoints + 4 * std::size_t{stretch - 1}) : 0;
    at = (at + sum_of_bytes(own - 4 * std::size_t{inside}, inside)) * 4;
    const std::uint32_t size = std::min(kBlockLength, count - block * kBlockLength);
    for (std::uint32_t first = 0; first < size; first += kBp32Group) {
      const auto width = static_cast<std::uint8_t>(own[first / kBp32Group]);
      const std::uint64_t bytes = blocks_of(std::min(kBp32Group, size - first) * width, 32) * std::uint64_t{4};
      if (width > 32 || at + bytes > payload) [[unlikely]]
        return corrupt_block("a wrong width or offset", block);
      if (size - first >= kBp32Group) [[likely]] {
        unpack_32(stream.data() + at, width, out.data() + first);
      } else {
        unpack_32(BytesOfBlock<4 * kBp32Group>(stream, at).data(), width, out.data() + first);
      }
      at += bytes;
    }
    if (!from_distances(out, size, kind, before)) [[unlikely]]
      return corrupt_block("numbers out of range", block);
    return {};
  }
};

const Bp32 kBp32;

}  // namespace

const ListCodec& bp32() { return kBp32; }

}  // namespace frond::codec
