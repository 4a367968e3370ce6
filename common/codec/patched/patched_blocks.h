#pragma once
// What the codecs with patched blocks share ("pfd", "newpfd", "parapfor"). Every full block of 128 has slots of its own
// width b, the one that costs least. Numbers that do not fit are exceptions; each codec codes them in its own way. A
// block is decoded by unpacking its slots and patching the exceptions in.
//
//   block   slots, 16 * b bytes as simd-bp128 packs them | exceptions, a little-endian bit string | zeros to 4 bytes
//   stream  full blocks | Rice code of the last block where it is not full (distances.h) | zeros to align
//           | u8 a block: its 32-bit words, 0 for a last one that is not full | a header a block | u32 for each of
//           blocks 16, 32, …: where it begins, in words
//   header  as the codec says; bits 0 .. 5 are b. Of a last block that is not full: its Rice parameter.
// Numbers are stored as distances less one (distances.h).
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/codec/block_index.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

using PatchedNumbers = std::array<std::uint32_t, kBlockLength>;

// A full block, encoded.
struct PatchedBlock {
  std::uint32_t header = 0;
  PatchedNumbers slots;   // their low b bits are stored
  ByteBuffer exceptions;  // bits, to the next byte
};

// How one codec codes its exceptions.
class PatchedFormat {
 public:
  virtual ~PatchedFormat() = default;
  virtual const CodecInfo& info() const = 0;
  virtual std::uint32_t header_bytes() const = 0;  // 2 or 4
  // The cost of the exceptions of these distances less one, with slots of `width`: their bits, plus a constant for each
  // exception, since patching takes time. kCannot if the codec can't code them.
  static constexpr std::uint64_t kCannot = ~std::uint64_t{0};
  virtual std::uint64_t exception_cost(const PatchedNumbers& distances, unsigned width) const = 0;
  // REQUIRES: exception_cost() of the width is not kCannot.
  virtual PatchedBlock encode(const PatchedNumbers& distances, unsigned width) const = 0;
  // Turns `out`, the unpacked slots plus one each, into differences. bits: the exceptions, to the end of the block.
  // Returns the width that numbers_from_differences takes, or kCorruptPatch if the bytes are no such code. Any header
  // and bytes are survived.
  // REQUIRES: 64 bytes after `bits` are readable.
  static constexpr unsigned kCorruptPatch = 64;
  virtual unsigned patch(std::uint32_t header, ByteView bits, std::span<std::uint32_t, kBlockLength> out) const = 0;
};

// Bytes of the index, which ends the stream.
FROND_HOST_DEVICE constexpr std::size_t patched_index_bytes(std::uint32_t count, std::uint32_t header_bytes) {
  return std::size_t{blocks_of(count)} * (1 + header_bytes) + std::size_t{checkpoints_of(blocks_of(count))} * 4;
}

class PatchedCodec final : public ListCodec {
 public:
  explicit constexpr PatchedCodec(const PatchedFormat& format) : format_(format) {}
  const CodecInfo& info() const override { return format_.info(); }
  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override;
  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override;

 private:
  const PatchedFormat& format_;
};

}  // namespace frond::codec
