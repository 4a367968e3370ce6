#pragma once
// pfordelta0 … pfordelta4: all slots of a list have one width. The exceptions are in two arrays (places, high parts),
// which are coded in the same way again. A warp reads only the exceptions of its block, level by level. (Ding et al.
// 2009 §6.2 decompress the whole arrays first, one kernel a level.) Format: docs/formats/pfordelta.md.
#include "common/codec/patched/pfordelta.h"
#include "common/device/unpack.cuh"
#include "common/device_codec/block_of_list.cuh"
#include "common/device_codec/readers.cuh"
#include "common/device_codec/rice.cuh"

namespace frond::device_codec {

using device::unpack_rows;

// Up to 128 exceptions of one block, as stored. Each level has one of these structs.
struct Exceptions {
  std::uint32_t places[kBlockLength], highs[kBlockLength];
};

// An array (common/codec/patched/exception_array.h) of depth > 0. Offsets are bytes of the stream.
struct Parts {
  bool ok = false;
  std::uint32_t width = 0, exceptions = 0;
  std::uint64_t slots = 0, counts = 0, checkpoints = 0, arrays = 0, end = 0;
};
__device__ inline Parts parts_of(StreamWords stream, std::uint64_t at, std::uint64_t limit, std::uint32_t count) {
  Parts parts;
  if (at + 4 > limit) return parts;
  const std::uint32_t head = stream.word(at), blocks = codec::blocks_of(count);
  parts.width = head % 64;
  parts.exceptions = head / 64;
  parts.slots = at + (parts.exceptions != 0 ? 8 : 4);
  parts.counts = parts.slots + (std::uint64_t{count} * parts.width + 31) / 32 * 4;
  parts.checkpoints = parts.counts + (std::uint64_t{blocks} + 3) / 4 * 4;
  parts.arrays = parts.checkpoints + std::uint64_t{codec::checkpoints_of(blocks)} * 4;
  parts.end = parts.counts;
  if (parts.exceptions != 0) {
    if (at + 8 > limit) return parts;
    parts.end = at + std::uint64_t{stream.word(at + 4)} * 4;
    if (parts.end < parts.arrays) return parts;
  }
  parts.ok = parts.width <= 32 && parts.end <= limit;
  return parts;
}

// Where the array of `count` numbers that begins at `at` ends; 0: corrupt.
__device__ inline std::uint64_t end_of_array(StreamWords stream, std::uint64_t at, std::uint64_t limit,
                                             std::uint32_t count, unsigned depth) {
  if (depth == 0) return at + std::uint64_t{count} * 4 <= limit ? at + std::uint64_t{count} * 4 : 0;
  const Parts parts = parts_of(stream, at, limit, count);
  return parts.ok ? parts.end : 0;
}

template <unsigned kDepth>
__device__ bool patch(StreamWords stream, std::uint64_t at, std::uint64_t limit, std::uint32_t count,
                      std::uint32_t width, std::uint64_t first, std::uint32_t some, std::uint32_t from,
                      std::uint32_t* out, std::uint32_t size, std::uint32_t lane, Exceptions* levels);

// Reads numbers [from, from + size) of an array to `out`; size is 1 .. 128. False: corrupt.
template <unsigned kDepth>
__device__ __attribute__((noinline)) bool read_array(StreamWords stream, std::uint64_t at, std::uint64_t limit,
                                                     std::uint32_t count, std::uint32_t from, std::uint32_t* out,
                                                     std::uint32_t size, std::uint32_t lane, Exceptions* levels) {
  if constexpr (kDepth == 0) {
    if (at + (std::uint64_t{from} + size) * 4 > limit) return false;
    for (std::uint32_t i = lane; i < size; i += 32) out[i] = stream.word(at + (std::uint64_t{from} + i) * 4);
    __syncwarp();
    return true;
  } else {
    const Parts parts = parts_of(stream, at, limit, count);
    if (!parts.ok) return false;
    for (std::uint32_t i = lane; i < size; i += 32)
      out[i] = stream.bits(parts.slots * 8 + (std::uint64_t{from} + i) * parts.width, parts.width);
    __syncwarp();
    if (parts.exceptions == 0) return true;
    for (std::uint32_t block = from / kBlockLength; block <= (from + size - 1) / kBlockLength; ++block) {
      const std::uint32_t some = stream.byte(parts.counts + block);
      const std::uint64_t first = stream.block_begin(parts.counts, parts.checkpoints, block);
      if (some == 0) continue;
      // Places before `from` are not in `out`: their unsigned distance from it is larger than `size`.
      if (first + some > parts.exceptions ||
          !patch<kDepth - 1>(stream, parts.arrays, parts.end, parts.exceptions, parts.width, first, some,
                             from - block * kBlockLength, out, size, lane, levels))
        return false;
    }
    return true;
  }
}

// Adds the high parts of exceptions [first, first + some) to out[place - from], for places [from, from + size) of their
// block; slots have `width` bits. False: corrupt. levels: of this depth and those below it.
template <unsigned kDepth>
__device__ bool patch(StreamWords stream, std::uint64_t at, std::uint64_t limit, std::uint32_t count,
                      std::uint32_t width, std::uint64_t first, std::uint32_t some, std::uint32_t from,
                      std::uint32_t* out, std::uint32_t size, std::uint32_t lane, Exceptions* levels) {
  Exceptions& own = levels[kDepth];
  const std::uint64_t behind_places = end_of_array(stream, at, limit, count, kDepth);
  const auto begin = static_cast<std::uint32_t>(first);
  if (some > kBlockLength || width > 31 || behind_places == 0 ||
      !read_array<kDepth>(stream, at, limit, count, begin, own.places, some, lane, levels) ||
      !read_array<kDepth>(stream, behind_places, limit, count, begin, own.highs, some, lane, levels))
    return false;
  Four gaps{}, highs{};
  bool wrong = false;
  for (std::uint32_t i = 0; i < 4; ++i)
    if (4 * lane + i < some) {
      gaps.at[i] = own.places[4 * lane + i];
      highs.at[i] = own.highs[4 * lane + i];
    }
  const Four places = add_up(gaps, ~std::uint32_t{0}, lane);
  for (std::uint32_t i = 0; i < 4; ++i)
    wrong |= 4 * lane + i < some && (gaps.at[i] | places.at[i]) >= kBlockLength;  // so no place occurs twice
  if (__any_sync(kFullWarp, wrong)) return false;
  for (std::uint32_t i = 0; i < 4; ++i)
    if (4 * lane + i < some && places.at[i] - from < size) out[places.at[i] - from] += (highs.at[i] + 1) << width;
  __syncwarp();
  return true;
}

// Number `index` < `count` of an array, by one thread; 0 if the array is corrupt. Reads the exceptions of its block up
// to its own, each of them in this way again, so deep levels take long.
template <unsigned kDepth>
__device__ __attribute__((noinline)) std::uint32_t element(StreamWords stream, std::uint64_t at, std::uint64_t limit,
                                                           std::uint32_t count, std::uint32_t index) {
  if constexpr (kDepth == 0) {
    return at + (std::uint64_t{index} + 1) * 4 <= limit ? stream.word(at + std::uint64_t{index} * 4) : 0;
  } else {
    const Parts parts = parts_of(stream, at, limit, count);
    if (!parts.ok) return 0;
    std::uint32_t number = stream.bits(parts.slots * 8 + std::uint64_t{index} * parts.width, parts.width);
    if (parts.exceptions == 0) return number;
    const std::uint32_t block = index / kBlockLength, some = stream.byte(parts.counts + block);
    if (some == 0) return number;
    const std::uint64_t first = stream.block_begin(parts.counts, parts.checkpoints, block);
    const std::uint64_t highs = end_of_array(stream, parts.arrays, parts.end, parts.exceptions, kDepth - 1);
    if (first + some > parts.exceptions || highs == 0 || parts.width > 31) return 0;
    const auto begin = static_cast<std::uint32_t>(first);
    std::uint32_t place = ~std::uint32_t{0};
    for (std::uint32_t i = 0; i < some && place + 1 <= index % kBlockLength; ++i) {
      place += 1 + element<kDepth - 1>(stream, parts.arrays, parts.end, parts.exceptions, begin + i);
      if (place == index % kBlockLength)
        number += (element<kDepth - 1>(stream, highs, parts.end, parts.exceptions, begin + i) + 1) << parts.width;
    }
    return number;
  }
}

template <unsigned kLevel>
struct PForDelta {
  static constexpr std::uint32_t kRun = 8, kAhead = 1, kResident = 3;
  static constexpr bool kAdds = true, kSimple = false;
  struct Scratch {
    std::uint32_t numbers[kBlockLength];
    Exceptions levels[kLevel + 1];
  };
  struct Place {
    std::uint32_t own;         // the block's exceptions; its Rice parameter, if it is not full
    std::uint32_t width, all;  // of the list: width of slots, exceptions
  };

  __device__ static std::uint64_t payload_of(StreamWords stream, std::uint32_t count) {
    return stream.size - codec::pfordelta_index_bytes(count);
  }
  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    if (stream.size < codec::pfordelta_index_bytes(of.count)) return false;
    const std::uint64_t counts = payload_of(stream, of.count);
    const std::uint32_t trailer = stream.word(stream.size - 4);
    place = {stream.byte(counts + of.block), trailer % 64, trailer / 64};
    return place.width <= 32 && 16 * std::uint64_t{place.width} * (of.count / kBlockLength) <= counts;
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch& scratch, Unpacked& out) {
    const std::uint64_t counts = payload_of(stream, of.count);
    const std::uint64_t arrays = 16 * std::uint64_t{place.width} * (of.count / kBlockLength);
    if (!of.full()) return decode_last(stream, of, place, arrays, counts, lane, scratch, out);
    out.numbers = unpack_rows(stream.words + std::size_t{4} * place.width * of.block, place.width, lane);
    out.narrow = place.own == 0 && place.width <= 24;
    if (place.own == 0) return true;
    const std::uint64_t first = stream.block_begin(counts, counts + codec::blocks_of(of.count), of.block);
    __syncwarp();
    for (std::uint32_t i = 0; i < 4; ++i) scratch.numbers[4 * lane + i] = out.numbers.at[i];
    __syncwarp();
    if (first + place.own > place.all ||
        !patch<kLevel>(stream, arrays, counts, place.all, place.width, first, place.own, 0, scratch.numbers,
                       kBlockLength, lane, scratch.levels))
      return false;
    for (std::uint32_t i = 0; i < 4; ++i) out.numbers.at[i] = scratch.numbers[4 * lane + i];
    return true;
  }
  // The last block is behind both arrays.
  __device__ static bool decode_last(StreamWords stream, const BlockOfList& of, const Place& place,
                                     std::uint64_t arrays, std::uint64_t counts, std::uint32_t lane, Scratch& scratch,
                                     Unpacked& out) {
    std::uint64_t begin = arrays;
    for (int array = 0; array < 2 && place.all != 0; ++array) {
      begin = end_of_array(stream, begin, counts, place.all, kLevel);
      if (begin == 0) return false;
    }
    return decode_last_block(stream, begin, counts, place.own, of.size(), lane, scratch.numbers, out.numbers);
  }
  struct Reader {
    StreamWords stream;
    RowReader<true> rows;
    std::uint64_t places, highs = 0, limit;  // the arrays and where they end
    std::uint32_t width, all, left, begin = 0, index, place = ~std::uint32_t{0};
    __device__ Reader(StreamWords its_stream, const BlockOfList& of, const Place& of_block, std::uint32_t first)
        : stream(its_stream),
          rows(its_stream.words + std::size_t{4} * of_block.width * of.block, of_block.width, first),
          places(16 * std::uint64_t{of_block.width} * (of.count / kBlockLength)),
          limit(payload_of(its_stream, of.count)),
          width(of_block.width),
          all(of_block.all),
          left(of_block.own),
          index(first) {
      if (left == 0) return;
      begin = static_cast<std::uint32_t>(stream.block_begin(limit, limit + codec::blocks_of(of.count), of.block));
      highs = end_of_array(stream, places, limit, all, kLevel);
      ++left;
      do read();
      while (left != 0 && place < first);
    }
    // The next exception's place; `left`: how many there are with it.
    __device__ void read() {
      if (--left != 0) place += 1 + element<kLevel>(stream, places, limit, all, begin++);
    }
    __device__ Four next() {
      Four numbers = rows.next();
      for (std::uint32_t& number : numbers.at) {
        if (left != 0 && place == index) {
          number += (element<kLevel>(stream, highs, limit, all, begin - 1) + 1) << width;
          read();
        }
        ++index;
      }
      return numbers;
    }
  };
};

}  // namespace frond::device_codec
