#include "common/codec/byte_codecs/byte_codecs.h"

#include <bit>

#include "common/codec/distances.h"
#include "common/codec/endpoints.h"

// Highway compiles what is between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once for each instruction set, by
// including this file again. From AVX2 on one instruction puts a number's groups of 7 bits together.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/codec/byte_codecs/vbyte.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::codec::HWY_NAMESPACE {

// The number in the first `length` <= 5 of these bytes, 7 bits from each.
HWY_INLINE std::uint32_t number_in(std::uint64_t bytes, unsigned length) {
  const std::uint64_t mine = ~std::uint64_t{0} >> (64 - 8 * length);
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2
  return static_cast<std::uint32_t>(_pext_u64(bytes, mine & 0x7f7f7f7f7fULL));
#else
  bytes &= mine;
  return static_cast<std::uint32_t>((bytes & 0x7f) | (bytes >> 1 & 0x3f80) | (bytes >> 2 & 0x1fc000) |
                                    (bytes >> 3 & 0xfe00000) | (bytes >> 4 & 0xf0000000));
#endif
}

// Bit i: is byte i of 64 the last of its number? That is, is its top bit not set.
HWY_INLINE std::uint64_t stops_of(const std::byte* bytes) {
  std::uint64_t stops = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const std::uint64_t word = ~load_le<std::uint64_t>(bytes + 8 * i) >> 7 & 0x0101010101010101ULL;
    stops |= (word * 0x0102040810204080ULL >> 56) << (8 * i);
  }
  return stops;
}

// Fills `out` from [from, end), which has kReadSlack readable bytes after it. False: the numbers do not end where the
// bytes do. Where numbers end is found for 64 bytes at a time, so that none waits for the length of the one before.
bool decode_bytes_target(const std::byte* from, const std::byte* end, std::span<std::uint32_t> out) {
  const std::byte* begin = from;  // of the next number
  std::size_t i = 0;
  for (; i < out.size(); from += 64) {
    if (from >= end) return false;
    std::uint64_t stops = stops_of(from);
    if (end - from < 64) stops &= ~(~std::uint64_t{0} << (end - from));
    if (stops == ~std::uint64_t{0} && begin == from && out.size() - i >= 64) {  // each of one byte
      for (std::size_t j = 0; j < 64; ++j) out[i + j] = static_cast<std::uint32_t>(from[j]);
      i += 64;
      begin += 64;
      continue;
    }
    for (; stops != 0 && i < out.size(); stops &= stops - 1) {
      const std::byte* next = from + std::countr_zero(stops) + 1;
      const auto length = static_cast<unsigned>(next - begin);
      if (length > 5) return false;
      out[i++] = number_in(load_le<std::uint64_t>(begin), length);
      begin = next;
    }
  }
  return begin == end;
}

}  // namespace frond::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::codec {

HWY_EXPORT(decode_bytes_target);

namespace {

constexpr CodecInfo kInfo{.name = "vbyte", .id = 2, .family = "byte", .source = "Mallia 2019 §2 (Variable Byte)"};

class VByte final : public ListCodec {
 public:
  const CodecInfo& info() const override { return kInfo; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    ByteWriter writer(out);
    const auto ends = append_blocks<kBlockLength>(numbers, kind, 1, out, [&](auto distances) {
      for (const std::uint32_t distance : distances) writer.put_varint(distance);
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
    const auto numbers = out.first(std::min(kBlockLength, count - block * kBlockLength));
    if (!HWY_DYNAMIC_DISPATCH(decode_bytes_target)(stream.data() + extent->begin, stream.data() + extent->end, numbers))
        [[unlikely]]
      return corrupt_block("numbers of another length", block);
    if (!from_distances(out, static_cast<std::uint32_t>(numbers.size()), kind, before)) [[unlikely]]
      return corrupt_block("numbers out of range", block);
    return {};
  }
};

const VByte kVByte;

}  // namespace

const ListCodec& vbyte() { return kVByte; }

}  // namespace frond::codec
#endif
