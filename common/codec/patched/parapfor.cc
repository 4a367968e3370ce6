#include "common/codec/patched/parapfor.h"

#include <algorithm>
#include <bit>

#include "common/codec/bits/packed_number.h"
#include "common/codec/bits/rice.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo{.name = "parapfor", .id = 18, .family = "patched", .source = "Ao 2011 §4.1, appendix G"};
constexpr std::uint32_t kMaxExceptions = 127;
// What one exception fewer is worth, in bits: docs/formats/patched.md.
constexpr std::uint64_t kBitsForOneLess = 2;

// The header of a block with slots of `width`; e_n may be 128, which the header has no room for.
ParaPForHeader header_of(const PatchedNumbers& distances, unsigned width) {
  ParaPForHeader header{width, 0, 0, 0};
  std::uint32_t highs = 0, last = 0;
  for (std::uint32_t i = 0; i < kBlockLength; ++i)
    if (const std::uint32_t high = distances[i] >> width; high != 0) {
      highs |= high;
      last = i;
      ++header.e_n;
    }
  header.i_b = static_cast<std::uint32_t>(std::bit_width(last));
  header.h_b = static_cast<std::uint32_t>(std::bit_width(highs));
  return header;
}

class ParaPFor final : public PatchedFormat {
 public:
  constexpr ParaPFor() = default;
  const CodecInfo& info() const override { return kInfo; }
  std::uint32_t header_bytes() const override { return 4; }

  std::uint64_t exception_cost(const PatchedNumbers& distances, unsigned width) const override {
    const ParaPForHeader header = header_of(distances, width);
    return header.e_n > kMaxExceptions ? kCannot : header.e_n * (header.i_b + header.h_b + kBitsForOneLess);
  }

  PatchedBlock encode(const PatchedNumbers& distances, unsigned width) const override {
    PatchedBlock block;
    block.slots = distances;
    block.header = width;
    if (width == 32) return block;
    const ParaPForHeader header = header_of(distances, width);
    BitWriter bits(block.exceptions);
    for (std::uint32_t i = 0; i < kBlockLength; ++i)
      if (distances[i] >> width != 0) bits.put(i, header.i_b);
    for (std::uint32_t i = 0; i < kBlockLength; ++i)
      if (distances[i] >> width != 0) bits.put(distances[i] >> width, header.h_b);
    block.header |= header.i_b << 6 | header.h_b << 9 | header.e_n << 15;
    return block;
  }

  unsigned patch(std::uint32_t header_bits, ByteView in, std::span<std::uint32_t, kBlockLength> out) const override {
    const ParaPForHeader header = parapfor_header(header_bits);
    if (header.b > 31 || header.h_b > 32 || header.e_n * (header.i_b + header.h_b) > in.size() * 8) [[unlikely]]
      return kCorruptPatch;
    std::uint32_t place_bit = 0, high_bit = header.e_n * header.i_b;
    for (std::uint32_t j = 0; j < header.e_n; ++j, place_bit += header.i_b, high_bit += header.h_b)
      out[bits_at(in.data(), place_bit, header.i_b)] += bits_at(in.data(), high_bit, header.h_b) << header.b;
    // Corrupt bytes can name a place several times, up to 127 times: 7 more bits.
    return std::min(header.b + header.h_b + 7, 32u);
  }
};

const ParaPFor kFormat;
const PatchedCodec kParaPFor(kFormat);

}  // namespace

const ListCodec& parapfor() { return kParaPFor; }

}  // namespace frond::codec
