#include "common/codec/patched/newpfd.h"

#include <algorithm>

#include "common/codec/bits/packed_number.h"
#include "common/codec/bits/rice.h"
#include "common/codec/bits/unary.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo{
    .name = "newpfd", .id = 17, .family = "patched", .source = "Ao 2011 §4.1; Yan, Ding and Suel 2009"};
constexpr std::uint32_t kMaxExceptions = 127;
// What one exception fewer is worth, in bits: docs/formats/patched.md.
constexpr std::uint64_t kBitsForOneLess = 1;

// The exceptions of a block with slots of one width.
struct Exceptions {
  PatchedNumbers gaps, highs;  // both as stored
  std::uint32_t count = 0;

  Exceptions(const PatchedNumbers& distances, unsigned width) {
    std::uint32_t before = ~std::uint32_t{0};
    for (std::uint32_t i = 0; i < kBlockLength; ++i)
      if (const std::uint32_t high = distances[i] >> width; high != 0) {
        gaps[count] = i - before - 1;
        highs[count++] = high - 1;
        before = i;
      }
  }
  // Bits of both codes, and the code of the better parameter.
  std::uint64_t bits(std::uint32_t& code) const {
    std::uint64_t fewest = ~std::uint64_t{0};
    for (std::uint32_t each = 0; each < 8; ++each) {
      const std::uint64_t all = rice_bits(highs, newpfd_high_parameter(each));
      if (all < fewest) {
        fewest = all;
        code = each;
      }
    }
    return fewest + rice_bits(gaps, newpfd_place_parameter(count));
  }

 private:
  std::uint64_t rice_bits(const PatchedNumbers& numbers, std::uint32_t parameter) const {
    std::uint64_t bits = std::uint64_t{count} * (parameter + 1);
    for (std::uint32_t i = 0; i < count; ++i) bits += numbers[i] >> parameter;
    return bits;
  }
};

// As decode_rice(), but finds many unary parts at a time.
std::uint64_t decode_at_once(ByteView in, std::uint64_t from, unsigned parameter, std::span<std::uint32_t> out) {
  const auto count = static_cast<std::uint32_t>(out.size());
  const std::uint64_t unary = from + std::uint64_t{parameter} * count, end = in.size() * std::uint64_t{8};
  if (count == 0 || unary >= end) return 0;
  const auto skipped = static_cast<unsigned>(unary % 8);
  // Codes usually take two bits a number; longer ones are decoded by decode_rice().
  const auto bits =
      static_cast<unsigned>(std::min<std::uint64_t>(end - unary, std::min(3 * count + 48, kUnaryBits - 1)));
  alignas(64) std::uint16_t room[8 + kOnesRoom];
  std::uint16_t* ones = room + 8;
  if (find_ones()(in.data() + unary / 8, skipped, bits, ones) < count) return decode_rice(in, from, parameter, out);
  ones[-1] = static_cast<std::uint16_t>(skipped - 1);
  for (std::uint32_t i = 0; i < count; ++i)
    out[i] = static_cast<std::uint32_t>(static_cast<std::uint16_t>(ones[i] - ones[static_cast<int>(i) - 1] - 1))
             << parameter;
  if (parameter != 0) {
    std::uint64_t low = from;
    for (std::uint32_t i = 0; i < count; ++i, low += parameter) out[i] |= bits_at(in.data(), low, parameter);
  }
  return unary - skipped + ones[count - 1] + 1;
}

class NewPfd final : public PatchedFormat {
 public:
  constexpr NewPfd() = default;
  const CodecInfo& info() const override { return kInfo; }
  std::uint32_t header_bytes() const override { return 2; }

  std::uint64_t exception_cost(const PatchedNumbers& distances, unsigned width) const override {
    const Exceptions exceptions(distances, width);
    std::uint32_t code;
    return exceptions.count > kMaxExceptions ? kCannot : exceptions.bits(code) + exceptions.count * kBitsForOneLess;
  }

  PatchedBlock encode(const PatchedNumbers& distances, unsigned width) const override {
    PatchedBlock block;
    block.slots = distances;
    block.header = width;
    if (width == 32) return block;
    const Exceptions exceptions(distances, width);
    if (exceptions.count == 0) return block;
    std::uint32_t code = 0;
    exceptions.bits(code);
    BitWriter bits(block.exceptions);
    encode_rice(std::span(exceptions.gaps).first(exceptions.count), newpfd_place_parameter(exceptions.count), bits);
    encode_rice(std::span(exceptions.highs).first(exceptions.count), newpfd_high_parameter(code), bits);
    block.header |= exceptions.count << 6 | code << 13;
    return block;
  }

  unsigned patch(std::uint32_t bits, ByteView in, std::span<std::uint32_t, kBlockLength> out) const override {
    const NewPfdHeader header = newpfd_header(bits);
    PatchedNumbers gaps, highs;
    const std::uint64_t behind =
        decode_at_once(in, 0, newpfd_place_parameter(header.count), std::span(gaps).first(header.count));
    if (header.width > 31 || behind == 0 ||
        decode_at_once(in, behind, newpfd_high_parameter(header.parameter_code),
                       std::span(highs).first(header.count)) == 0) [[unlikely]]
      return kCorruptPatch;
    std::uint32_t place = ~std::uint32_t{0}, all = 0;
    for (std::uint32_t i = 0; i < header.count; ++i) {
      place += gaps[i] + 1;
      if ((gaps[i] | place) >= kBlockLength) [[unlikely]]  // so that no place comes twice
        return kCorruptPatch;
      out[place] += (highs[i] + 1) << header.width;
      all |= highs[i] | 1;
    }
    return std::min(header.width + static_cast<unsigned>(std::bit_width(all)) + 1, 32u);
  }
};

const NewPfd kFormat;
const PatchedCodec kNewPfd(kFormat);

}  // namespace

const ListCodec& newpfd() { return kNewPfd; }

}  // namespace frond::codec
