#include "common/codec/newpfd.h"

#include <algorithm>

#include "common/codec/rice.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo{
    .name = "newpfd", .id = 17, .family = "patched", .source = "Ao 2011 §4.1; Yan, Ding and Suel 2009"};
constexpr std::uint32_t kMostExceptions = 127;

// The exceptions of a block beside slots of one width.
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

class NewPfd final : public PatchedFormat {
 public:
  constexpr NewPfd() = default;
  const CodecInfo& info() const override { return kInfo; }
  std::uint32_t header_bytes() const override { return 2; }

  std::uint64_t exception_bits(const PatchedNumbers& distances, unsigned width) const override {
    const Exceptions exceptions(distances, width);
    std::uint32_t code;
    return exceptions.count > kMostExceptions ? kCannot : exceptions.bits(code);
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
        decode_rice(in, 0, newpfd_place_parameter(header.count), std::span(gaps).first(header.count));
    if (header.width > 31 || behind == 0 ||
        decode_rice(in, behind, newpfd_high_parameter(header.parameter_code), std::span(highs).first(header.count)) ==
            0) [[unlikely]]
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
