#include "common/codec/bits/rice.h"

#include <algorithm>
#include <bit>

#include "common/codec/bits/horizontal.h"
#include "common/codec/bits/packed_number.h"
#include "common/codec/bits/unary.h"

namespace frond::codec {

RiceChoice choose_rice(std::span<const std::uint32_t> numbers) {
  const std::uint64_t count = numbers.size();
  const auto bits_with = [&](unsigned k) {
    std::uint64_t bits = count * (k + 1);
    for (const std::uint32_t number : numbers) bits += number >> k;
    return bits;
  };
  // Bits are a convex function of k: one more halves the unary parts and adds a bit to every number. So the first k
  // that has the fewest bits is found from any other; it is close to the logarithm of the mean.
  std::uint64_t sum = 0;
  for (const std::uint32_t number : numbers) sum += number;
  const auto mean = static_cast<unsigned>(std::bit_width(sum / count));
  RiceChoice best{mean > 0 ? mean - 1 : 0, 0};
  best.bits = bits_with(best.parameter);
  for (bool moved = false; best.parameter < 31; moved = true) {
    const std::uint64_t bits = bits_with(best.parameter + 1);
    if (bits < best.bits) {
      best = {best.parameter + 1, bits};
      continue;
    }
    if (moved) return best;
    break;
  }
  while (best.parameter > 0) {
    const std::uint64_t bits = bits_with(best.parameter - 1);
    if (bits > best.bits) break;
    best = {best.parameter - 1, bits};
  }
  return best;
}

void BitWriter::put(std::uint32_t value, unsigned width) {
  std::uint64_t left = width == 0 ? 0 : value & (~std::uint32_t{0} >> (32 - width));
  while (width > 0) {
    if (free_ == 0) {
      out_.push_back(std::byte{0});
      free_ = 8;
    }
    const unsigned taken = std::min(width, free_);
    out_.back() |= static_cast<std::byte>((left << (8 - free_)) & 0xff);
    left >>= taken;
    width -= taken;
    free_ -= taken;
  }
}

void BitWriter::put_zeros(std::uint64_t count) {
  for (; count > 32; count -= 32) put(0, 32);
  put(0, static_cast<unsigned>(count));
}

void encode_rice(std::span<const std::uint32_t> numbers, unsigned parameter, BitWriter& out) {
  std::uint64_t bits = numbers.size() * (std::uint64_t{parameter} + 1);
  for (const std::uint32_t number : numbers) bits += number >> parameter;
  out.put_filled(bits, [&](std::byte* to, std::uint64_t at) {
    const std::uint32_t low = (std::uint32_t{1} << parameter) - 1;
    for (const std::uint32_t number : numbers) {
      std::byte* const word = to + at / 8;
      store_le(word, load_le<std::uint64_t>(word) | std::uint64_t{number & low} << (at % 8));
      at += parameter;
    }
    for (const std::uint32_t number : numbers) {
      at += number >> parameter;
      to[at / 8] |= static_cast<std::byte>(1u << (at % 8));
      ++at;
    }
  });
}

namespace {

// Decodes all numbers at once. The code begins with a byte. Returns as decode_rice(), and 0 also if the unary parts are
// longer than find_ones() allows, which is rare.
std::uint64_t decode_at_once(ByteView in, std::uint64_t from, unsigned parameter, std::span<std::uint32_t> out) {
  const std::uint64_t unary = from + std::uint64_t{parameter} * out.size();
  const auto first = static_cast<unsigned>(unary % 8);
  const std::uint64_t left = std::uint64_t{in.size()} * 8 - unary;
  std::uint16_t ones[kOnesRoom];
  const unsigned found = find_ones()(in.data() + unary / 8, first,
                                     static_cast<unsigned>(std::min<std::uint64_t>(left, kUnaryBits - 1)), ones);
  if (found < out.size()) return 0;
  alignas(64) std::uint32_t low[kBlockLength];
  unpack_horizontal(in.data() + from / 8, parameter, low, static_cast<std::uint32_t>(out.size()));
  out[0] = (ones[0] - first) << parameter | low[0];
  for (std::size_t i = 1; i < out.size(); ++i)
    out[i] = (static_cast<std::uint32_t>(ones[i]) - ones[i - 1] - 1) << parameter | low[i];
  return unary - first + ones[out.size() - 1] + 1;
}

}  // namespace

std::uint64_t decode_rice(ByteView in, std::uint64_t from, unsigned parameter, std::span<std::uint32_t> out) {
  const std::uint64_t end = std::uint64_t{in.size()} * 8;
  const std::uint64_t unary = from + std::uint64_t{parameter} * out.size();
  if (unary >= end) return 0;
  // Setting up the vectors costs as much as some twenty numbers one by one.
  if (out.size() >= 24 && from % 8 == 0)
    if (const std::uint64_t behind = decode_at_once(in, from, parameter, out)) return behind;
  // The unary parts are the distances between one-bits: taken off a word at a time, lowest first.
  std::uint64_t base = unary & ~std::uint64_t{7};
  std::uint64_t word = load_le<std::uint64_t>(in.data() + base / 8) & (~std::uint64_t{0} << (unary - base));
  std::uint64_t after_one = unary, low = from;
  for (std::uint32_t& number : out) {
    while (word == 0) {
      base += 64;
      if (base >= end) return 0;
      word = load_le<std::uint64_t>(in.data() + base / 8);
    }
    const std::uint64_t one = base + static_cast<unsigned>(std::countr_zero(word));
    word &= word - 1;
    number = static_cast<std::uint32_t>(one - after_one) << parameter | bits_at(in.data(), low, parameter);
    after_one = one + 1;
    low += parameter;
  }
  return after_one <= end ? after_one : 0;  // ones after `in` don't count
}

}  // namespace frond::codec
