#include "common/codec/simd_bp128.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "common/codec/distances.h"
#include "common/codec/rice.h"
#include "common/codec/simd_bp128_unpack.h"

namespace frond::codec {
namespace {

using Block = std::array<std::uint32_t, kBlockLength>;

Error corrupt(const char* what, std::uint32_t block) {
  return Error(Code::kCorrupt, "simd-bp128: " + std::string(what) + " in block " + std::to_string(block));
}

// Number i lies in lane i % 4: whole rows of four are shifted in at once.
void pack(const Block& numbers, unsigned width, ByteBuffer& out) {
  std::uint32_t words[4 * 32 + 4] = {};
  for (unsigned row = 0; row < kBlockLength / 4; ++row) {
    const unsigned bit = row * width, shift = bit % 32;
    std::uint32_t* word = words + bit / 32 * 4;
    for (unsigned lane = 0; lane < 4; ++lane) {
      const std::uint64_t value = std::uint64_t{numbers[4 * row + lane]} << shift;
      word[lane] |= static_cast<std::uint32_t>(value);
      word[lane + 4] |= static_cast<std::uint32_t>(value >> 32);
    }
  }
  ByteWriter(out).put_bytes(std::as_bytes(std::span(words)).first(std::size_t{16} * width));
}

// Sum of the first `count` <= 15 bytes; 16 are readable.
std::uint32_t sum_of_bytes(const std::byte* bytes, std::uint32_t count) {
  auto low = load_le<std::uint64_t>(bytes), high = load_le<std::uint64_t>(bytes + 8);
  low = count < 8 ? low & ~(~std::uint64_t{0} << (8 * count)) : low;
  high = count > 8 ? high & ~(~std::uint64_t{0} << (8 * (count - 8))) : 0;
  constexpr std::uint64_t kEven = 0x00ff00ff00ff00ffULL;
  const std::uint64_t pairs = (low & kEven) + (low >> 8 & kEven) + (high & kEven) + (high >> 8 & kEven);
  return static_cast<std::uint32_t>(pairs * 0x0001000100010001ULL >> 48);
}

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
      if (first > 0 && widths.size() % kCheckpointBlocks == 0)
        checkpoints.push_back(static_cast<std::uint32_t>((out.size() - start) / 16));
      widths.push_back(append(std::span(distances).first(some.size()), distances, out));
    }
    const std::size_t index = widths.size() + checkpoints.size() * 4;
    out.resize((out.size() + index + 15) / 16 * 16 - index);
    ByteWriter writer(out);
    writer.put_bytes(std::as_bytes(std::span(widths)));
    writer.put_bytes(std::as_bytes(std::span(checkpoints)));
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    const std::size_t index = simd_bp_index_bytes(count);
    FROND_CHECK(block < simd_bp_blocks(count));
    if (stream.size() < index) [[unlikely]]
      return corrupt("no room for the index", block);
    const std::size_t payload = stream.size() - index;
    const std::byte* widths = stream.data() + payload;
    const std::byte* checkpoints = stream.data() + stream.size() - 4 * std::size_t{simd_bp_checkpoints(count)};
    const std::uint32_t group = block / kCheckpointBlocks, width = static_cast<std::uint8_t>(widths[block]);
    const std::uint64_t begin =
        (group ? load_le<std::uint32_t>(checkpoints + 4 * std::size_t{group - 1}) : std::uint64_t{0}) +
        sum_of_bytes(widths + std::size_t{group} * kCheckpointBlocks, block % kCheckpointBlocks);
    if ((block + 1) * std::uint64_t{kBlockLength} > count) [[unlikely]]
      return decode_tail(stream.first(payload), begin * 16, width, count % kBlockLength, kind, block, before, out);
    if (width > 32 || (begin + width) * 16 > payload) [[unlikely]]
      return corrupt("a wrong width or offset", block);
    return decode_full(stream.data() + begin * 16, width, kind, block, before, out);
  }

 private:
  // Appends the code of one block, returns its width or Rice parameter.
  static std::uint8_t append(std::span<const std::uint32_t> distances, const Block& block, ByteBuffer& out) {
    if (distances.size() < kBlockLength) {
      const RiceChoice rice = choose_rice(distances);
      BitWriter bits(out);
      encode_rice(distances, rice.parameter, bits);
      return static_cast<std::uint8_t>(rice.parameter);
    }
    std::uint32_t all = 0;
    for (const std::uint32_t distance : distances) all |= distance;
    const auto width = static_cast<unsigned>(std::bit_width(all));
    pack(block, width, out);
    return static_cast<std::uint8_t>(width);
  }

  static Result<void> decode_full(const std::byte* bytes, std::uint32_t width, Numbers kind, std::uint32_t block,
                                  DocId before, std::span<std::uint32_t, kBlockLength> out) {
    if (kind == Numbers::kDocIds) {
      unpack_table().docids[width](bytes, before, out.data());
      // 128 distances of 24 bits add up to less than 2^32: the sums have wrapped round just where the last one has.
      const bool fine = width <= 24 ? before == kNoDoc || out[kBlockLength - 1] > before : ascend(before, out);
      if (!fine) [[unlikely]]
        return corrupt("docIDs that do not ascend", block);
    } else {
      unpack_table().frequencies[width](bytes, 0, out.data());
      if (width == 32 && std::find(out.begin(), out.end(), 0u) != out.end()) [[unlikely]]
        return corrupt("a frequency of 0", block);
    }
    return {};
  }

  static Result<void> decode_tail(ByteView payload, std::uint64_t begin, std::uint32_t parameter, std::uint32_t length,
                                  Numbers kind, std::uint32_t block, DocId before,
                                  std::span<std::uint32_t, kBlockLength> out) {
    const auto numbers = out.first(length);
    if (parameter > 31 || begin > payload.size() || !decode_rice(payload.subspan(begin), 0, parameter, numbers))
      return corrupt("a wrong Rice code", block);
    if (!from_distances(numbers, kind, before)) return corrupt("docIDs or frequencies out of range", block);
    return {};
  }
};

const SimdBp128 kSimdBp128;

}  // namespace

const ListCodec& simd_bp128() { return kSimdBp128; }

}  // namespace frond::codec
