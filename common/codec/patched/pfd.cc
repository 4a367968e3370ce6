#include "common/codec/patched/pfd.h"

#include <algorithm>
#include <bit>

#include "common/codec/bits/packed_number.h"
#include "common/codec/bits/rice.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo{.name = "pfd", .id = 16, .family = "patched", .source = "Ao 2011 §4.1; Zukowski et al. 2006"};
constexpr std::uint32_t kMaxExceptions = 127;
// What one exception fewer is worth, in bits: docs/formats/patched.md.
constexpr std::uint64_t kBitsForOneLess = 4;

// Places of the exceptions, those included that only link others. A count above kMaxExceptions: too many.
struct Chain {
  std::array<std::uint8_t, kBlockLength> places;
  std::uint32_t count = 0;
  std::uint32_t value_width = 0;  // of the greatest of them

  Chain(const PatchedNumbers& distances, unsigned width) {
    const std::uint32_t furthest = width >= 7 ? kBlockLength : 1u << width;
    std::uint32_t values = 0;
    for (std::uint32_t i = 0; i < kBlockLength; ++i) {
      const bool linked = count > 0 && i - places[count - 1] == furthest;
      if (distances[i] >> width == 0 && !(linked && more_behind(distances, width, i))) continue;
      places[count++] = static_cast<std::uint8_t>(i);
      values |= distances[i];
    }
    value_width = static_cast<std::uint32_t>(std::bit_width(values));
  }

 private:
  static bool more_behind(const PatchedNumbers& distances, unsigned width, std::uint32_t place) {
    return std::any_of(distances.begin() + place, distances.end(), [&](std::uint32_t d) { return d >> width != 0; });
  }
};

class Pfd final : public PatchedFormat {
 public:
  constexpr Pfd() = default;
  const CodecInfo& info() const override { return kInfo; }
  std::uint32_t header_bytes() const override { return 4; }

  std::uint64_t exception_cost(const PatchedNumbers& distances, unsigned width) const override {
    const Chain chain(distances, width);
    return chain.count > kMaxExceptions ? kCannot : std::uint64_t{chain.count} * (chain.value_width + kBitsForOneLess);
  }

  PatchedBlock encode(const PatchedNumbers& distances, unsigned width) const override {
    PatchedBlock block;
    block.slots = distances;
    block.header = width;
    if (width == 32) return block;
    const Chain chain(distances, width);
    if (chain.count == 0) return block;
    BitWriter bits(block.exceptions);
    for (std::uint32_t i = 0; i < chain.count; ++i) {
      const std::uint32_t place = chain.places[i];
      block.slots[place] = i + 1 < chain.count ? chain.places[i + 1] - place - 1u : 0;
      bits.put(distances[place], chain.value_width);
    }
    block.header |= chain.value_width << 6 | std::uint32_t{chain.places[0]} << 12 | chain.count << 19;
    return block;
  }

  unsigned patch(std::uint32_t bits, ByteView in, std::span<std::uint32_t, kBlockLength> out) const override {
    const PfdHeader header = pfd_header(bits);
    if (header.value_width > 32 || std::uint64_t{header.count} * header.value_width > in.size() * std::uint64_t{8})
      return kCorruptPatch;
    std::uint32_t place = header.first;
    for (std::uint32_t i = 0, bit = 0; i < header.count; ++i, bit += header.value_width) {
      if (place >= kBlockLength) [[unlikely]]
        return kCorruptPatch;
      const std::uint32_t next = place + out[place];  // a slot is one more than stored: the distance itself
      out[place] = bits_at(in.data(), bit, header.value_width) + 1;
      if (next < place) [[unlikely]]
        return kCorruptPatch;
      place = next;
    }
    return std::max(header.width, header.value_width);
  }
};

const Pfd kFormat;
const PatchedCodec kPfd(kFormat);

}  // namespace

const ListCodec& pfd() { return kPfd; }

}  // namespace frond::codec
