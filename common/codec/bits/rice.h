#pragma once
// Rice codes of a few numbers (a short list, the last block of a long one), in two parts so that both CPU and GPU read
// them without branching on every bit: first the k low bits of every number, one after the other, then for every number
// v its v >> k zero bits and a one. All bits are little-endian: bit i is bit i % 8 of byte i / 8.
// (Golomb-Rice, with the separated parts of Elias-Fano lists.) Lists and tails this short are 10 % smaller than with
// one width for all, and 4 % larger than with interpolative codes, which decode one number after the other.
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

struct RiceChoice {
  unsigned parameter = 0;  // k, 0 .. 31
  std::uint64_t bits = 0;  // of the code: at most 33 a number
};
// The k that gives the fewest bits. At least one number.
RiceChoice choose_rice(std::span<const std::uint32_t> numbers);

// Appends bits to bytes; `used` bits of the buffer's end are taken, the next go behind them.
class BitWriter {
 public:
  explicit BitWriter(ByteBuffer& out) : out_(out) {}
  void put(std::uint32_t value, unsigned width);  // the low `width` <= 32 bits
  void put_zeros(std::uint64_t count);

 private:
  ByteBuffer& out_;
  unsigned free_ = 0;  // bits of the last byte not yet taken
};

void encode_rice(std::span<const std::uint32_t> numbers, unsigned parameter, BitWriter& out);

// Decodes out.size() <= 128 numbers from bit `from` of `in`, which has kReadSlack readable bytes after it. Returns the
// bit behind the code; 0: the code does not end inside `in`. Any bytes are survived. parameter <= 31.
std::uint64_t decode_rice(ByteView in, std::uint64_t from, unsigned parameter, std::span<std::uint32_t> out);

}  // namespace frond::codec
