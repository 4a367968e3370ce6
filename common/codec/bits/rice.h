#pragma once
// Rice codes of a few numbers (a short list, the last block of a long one), in two parts, so that CPU and GPU read them
// without a branch for every bit: first the k low bits of every number, then for every number v its v >> k as that many
// zero bits and a one. Bit i is bit i % 8 of byte i / 8. (Golomb-Rice, with the separate parts of Elias-Fano lists.)
// Such short lists and last blocks are 10 % smaller than with one width for all numbers, and 4 % larger than with
// interpolative codes, whose numbers can only be decoded one after the other.
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

struct RiceChoice {
  unsigned parameter = 0;  // k, 0 .. 31
  std::uint64_t bits = 0;  // of the code: at most 33 a number
};
// Finds the k with the fewest bits.
// REQUIRES: at least one number.
RiceChoice choose_rice(std::span<const std::uint32_t> numbers);

// Appends numbers of any width to a buffer, bit by bit after one another; the last byte is filled with zeros.
class BitWriter {
 public:
  explicit BitWriter(ByteBuffer& out) : out_(out) {}
  void put(std::uint32_t value, unsigned width);  // the low `width` <= 32 bits
  void put_zeros(std::uint64_t count);
  // Appends `bits` zeros; fill(std::byte* to, std::uint64_t at) may set them: they begin with bit `at` of `to`. Behind
  // them it may read and write 8 bytes, of zeros then.
  template <class Fill>
  void put_filled(std::uint64_t bits, Fill&& fill) {
    const std::uint64_t begin = std::uint64_t{out_.size()} * 8 - free_, end = begin + bits;
    out_.resize((end + 7) / 8 + 8);
    fill(out_.data(), begin);
    out_.resize((end + 7) / 8);
    free_ = static_cast<unsigned>(7 - (end + 7) % 8);
  }

 private:
  ByteBuffer& out_;
  unsigned free_ = 0;  // unused bits of the last byte
};

void encode_rice(std::span<const std::uint32_t> numbers, unsigned parameter, BitWriter& out);

// Decodes out.size() numbers from bit `from` of `in`. Returns the bit after the code, or 0 if the code does not end
// inside `in`. Any bytes are survived.
// REQUIRES: out.size() <= 128; parameter <= 31; kReadSlack bytes after `in` are readable.
std::uint64_t decode_rice(ByteView in, std::uint64_t from, unsigned parameter, std::span<std::uint32_t> out);

}  // namespace frond::codec
