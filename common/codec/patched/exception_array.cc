#include "common/codec/patched/exception_array.h"

#include <array>
#include <bit>

#include "common/codec/bits/horizontal.h"
#include "common/codec/bits/packed_number.h"
#include "common/codec/block_index.h"

namespace frond::codec {
namespace {

std::uint64_t whole_words(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

// The parts of an array of depth > 0.
struct Parts {
  bool ok = false;
  std::uint32_t width = 0, exceptions = 0;
  std::uint64_t bytes = 0;  // of the whole array
  const std::byte* slots = nullptr;
  const std::byte* counts = nullptr;
  const std::byte* checkpoints = nullptr;
  ByteView arrays;  // places and high parts of the exceptions
};

Parts parts_of(ByteView in, std::uint32_t count) {
  Parts parts;
  if (in.size() < 4) return parts;
  const auto head = load_le<std::uint32_t>(in.data());
  parts.width = head % 64;
  parts.exceptions = head / 64;
  const std::uint64_t slots = parts.exceptions ? 8 : 4;
  const std::uint64_t counts = slots + (std::uint64_t{count} * parts.width + 31) / 32 * 4;
  const std::uint32_t blocks = blocks_of(count);
  const std::uint64_t checkpoints = counts + whole_words(blocks);
  const std::uint64_t arrays = checkpoints + std::uint64_t{checkpoints_of(blocks)} * 4;
  parts.bytes = counts;
  if (parts.exceptions != 0) {
    if (in.size() < 8) return parts;
    parts.bytes = load_le<std::uint32_t>(in.data() + 4) * std::uint64_t{4};
    if (parts.bytes < arrays) return parts;
  }
  if (parts.width > 32 || parts.bytes > in.size()) return parts;
  parts.slots = in.data() + slots;
  if (parts.exceptions != 0) {
    parts.counts = in.data() + counts;
    parts.checkpoints = in.data() + checkpoints;
    parts.arrays = in.subspan(arrays, parts.bytes - arrays);
  }
  parts.ok = true;
  return parts;
}

// Numbers from .. from + out.size() - 1 of an array, at most 128.
bool read_array(ByteView in, std::uint32_t count, unsigned depth, std::uint32_t from, std::span<std::uint32_t> out) {
  const auto size = static_cast<std::uint32_t>(out.size());
  if (depth == 0) {
    if ((std::uint64_t{from} + size) * 4 > in.size()) return false;
    for (std::uint32_t i = 0; i < size; ++i) out[i] = load_le<std::uint32_t>(in.data() + (std::size_t{from} + i) * 4);
    return true;
  }
  const Parts parts = parts_of(in, count);
  if (!parts.ok) return false;
  std::uint64_t bit = std::uint64_t{from} * parts.width;
  for (std::uint32_t& number : out) {
    number = bits_at(parts.slots, bit, parts.width);
    bit += parts.width;
  }
  if (parts.exceptions == 0) return true;
  for (std::uint32_t block = from / kBlockLength; block <= (from + size - 1) / kBlockLength; ++block) {
    const std::uint64_t first = block_begin(parts.counts, parts.checkpoints, block);
    const auto exceptions = static_cast<std::uint8_t>(parts.counts[block]);
    if (exceptions == 0) continue;
    if (first + exceptions > parts.exceptions) return false;
    const std::uint32_t begin = block * kBlockLength;
    // Places before `from` are none of out's: unsigned, they are far behind it.
    if (patch_exceptions(parts.arrays, parts.exceptions, depth - 1, parts.width, static_cast<std::uint32_t>(first),
                         exceptions, from - begin, out) == kWrongExceptions)
      return false;
  }
  return true;
}

void encode_with(std::span<const std::uint32_t> numbers, unsigned width, unsigned depth, ByteBuffer& out) {
  const Exceptions exceptions = exceptions_of(numbers, width);
  const std::size_t start = out.size();
  ByteWriter writer(out);
  const auto count = static_cast<std::uint32_t>(exceptions.places.size());
  writer.put(static_cast<std::uint32_t>(width | count << 6));
  if (count != 0) writer.put(std::uint32_t{0});
  pack_horizontal(numbers, width, out);
  if (count == 0) return;
  writer.put_bytes(std::as_bytes(std::span(exceptions.counts)));
  writer.align(4);
  std::uint32_t before = 0;
  for (std::size_t block = 0; block < exceptions.counts.size(); before += exceptions.counts[block++])
    if (block > 0 && block % kGroupBlocks == 0) writer.put(before);
  encode_array(exceptions.places, depth - 1, out);
  encode_array(exceptions.highs, depth - 1, out);
  store_le(out.data() + start + 4, static_cast<std::uint32_t>((out.size() - start) / 4));
}

}  // namespace

Exceptions exceptions_of(std::span<const std::uint32_t> numbers, unsigned width) {
  Exceptions all;
  all.counts.resize((numbers.size() + kBlockLength - 1) / kBlockLength);
  if (width == 32) return all;
  std::uint32_t before = 0;  // place behind the exception before
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto place = static_cast<std::uint32_t>(i % kBlockLength);
    if (place == 0) before = 0;
    const std::uint32_t high = numbers[i] >> width;
    if (high == 0) continue;
    all.places.push_back(place - before);
    all.highs.push_back(high - 1);
    ++all.counts[i / kBlockLength];
    before = place + 1;
  }
  return all;
}

WidthGuess guess_width(std::span<const std::uint32_t> numbers, unsigned depth) {
  std::array<std::uint64_t, 33> with_width{};
  for (const std::uint32_t number : numbers) ++with_width[static_cast<unsigned>(std::bit_width(number))];
  unsigned max = 32;
  while (max > 0 && with_width[max] == 0) --max;
  unsigned best = max, min = max;
  std::uint64_t fewest = ~std::uint64_t{0};
  for (unsigned width = max + 1; width-- > 0;) {
    std::uint64_t exceptions = 0, high_bits = 0;
    for (unsigned each = width + 1; each <= max; ++each) {
      exceptions += with_width[each];
      high_bits += with_width[each] * (each - width);
    }
    if (exceptions > kMaxExceptions) break;
    min = width;
    std::uint64_t bits = numbers.size() * width;
    if (depth == 0) {
      bits += 64 * exceptions;
    } else if (exceptions != 0) {  // a place takes about the logarithm of the mean distance, and two bits
      const auto place = static_cast<unsigned>(std::bit_width(numbers.size() / exceptions)) + 1u;
      bits += high_bits + exceptions * place;
    }
    if (bits < fewest) {
      fewest = bits;
      best = width;
    }
  }
  return {best, min, max};
}

void encode_array(std::span<const std::uint32_t> numbers, unsigned depth, ByteBuffer& out) {
  if (depth == 0) {
    ByteWriter(out).put_bytes(std::as_bytes(numbers));
    return;
  }
  const WidthGuess guess = guess_width(numbers, depth - 1);
  ByteBuffer best, plain;
  encode_with(numbers, guess.best, depth, best);
  if (guess.best != guess.max) {
    encode_with(numbers, guess.max, depth, plain);
    if (plain.size() <= best.size()) best.swap(plain);
  }
  ByteWriter(out).put_bytes(best);
}

std::uint64_t array_bytes(ByteView in, std::uint32_t count, unsigned depth) {
  if (depth == 0) return count * std::uint64_t{4} <= in.size() ? count * std::uint64_t{4} : kNoArray;
  const Parts parts = parts_of(in, count);
  return parts.ok ? parts.bytes : kNoArray;
}

std::uint64_t patch_exceptions(ByteView in, std::uint32_t count, unsigned depth, unsigned width, std::uint32_t first,
                               std::uint32_t exceptions, std::uint32_t from, std::span<std::uint32_t> out) {
  std::array<std::uint32_t, kBlockLength> places, highs;
  const std::uint64_t places_bytes = array_bytes(in, count, depth);
  if (exceptions > kBlockLength || width > 31 || places_bytes == kNoArray ||
      !read_array(in, count, depth, first, std::span(places).first(exceptions)) ||
      !read_array(in.subspan(places_bytes), count, depth, first, std::span(highs).first(exceptions)))
    return kWrongExceptions;
  std::uint32_t place = ~std::uint32_t{0}, all = 0;
  for (std::uint32_t i = 0; i < exceptions; ++i) {
    place += places[i] + 1;
    if ((places[i] | place) >= kBlockLength) return kWrongExceptions;  // so that no place comes twice
    if (place - from < out.size()) out[place - from] += (highs[i] + 1) << width;
    all |= highs[i];
  }
  return all;
}

}  // namespace frond::codec
