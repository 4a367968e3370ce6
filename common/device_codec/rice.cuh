#pragma once
// Decodes Rice codes (common/codec/bits/rice.h) with a warp. Each lane counts the ones in 16 bits of the unary part. A
// prefix sum of the counts says which number each one ends, and so where a number's unary part begins and ends. (Ding
// et al. 2009 §6.1.)
#include "common/codec/bits/rice.h"
#include "common/codec/rice/rice_codec.h"
#include "common/device/unpack.cuh"
#include "common/device_codec/block_of_list.cuh"
#include "common/device_codec/readers.cuh"

namespace frond::device_codec {

// Writes the positions of the first `count` <= 128 ones of bits [begin, end) to ones[], from `begin` modulo 2^32.
// Returns the number of ones; it stops counting when it has `count` or more. ones: shared memory of the warp.
__device__ inline std::uint32_t find_ones(StreamWords stream, std::uint64_t begin, std::uint64_t end,
                                          std::uint32_t count, std::uint32_t lane, std::uint32_t* ones) {
  std::uint32_t found = 0;
  __syncwarp();
  for (std::uint64_t from = begin; from < end && found < count; from += 512) {
    const std::uint64_t own = from + 16 * lane;
    std::uint32_t bits = own < end ? stream.bits(own, 16) : 0;
    if (own < end && end - own < 16) bits &= (1u << (end - own)) - 1;
    const auto some = static_cast<std::uint32_t>(__popc(bits));
    std::uint32_t index = found + sum_before(some, lane);
    found = __shfl_sync(kFullWarp, index + some, 31);
    for (; bits != 0; bits &= bits - 1, ++index)
      if (index < count)
        ones[index] =
            static_cast<std::uint32_t>(own - begin) + static_cast<std::uint32_t>(__ffs(static_cast<int>(bits)) - 1);
  }
  __syncwarp();
  return found;
}

// The unary part of number `index`.
__device__ inline std::uint32_t unary_part(const std::uint32_t* ones, std::uint32_t index) {
  return index == 0 ? ones[0] : ones[index] - ones[index - 1] - 1;
}

// Decodes `count` >= 1 numbers from bit `from` on; parameter <= 31. `numbers` gets this lane's numbers, 0 behind the
// last. Returns the bit behind the code; 0: the code does not end by bit `end`.
__device__ __attribute__((noinline)) inline std::uint64_t decode_rice(StreamWords stream, std::uint64_t from,
                                                                      std::uint64_t end, std::uint32_t parameter,
                                                                      std::uint32_t count, std::uint32_t lane,
                                                                      std::uint32_t* ones, Four& numbers) {
  const std::uint64_t unary = from + std::uint64_t{parameter} * count;
  if (unary >= end || find_ones(stream, unary, end, count, lane, ones) < count) return 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t index = 4 * lane + i;
    numbers.at[i] = index < count ? unary_part(ones, index) << parameter |
                                        stream.bits(from + std::uint64_t{index} * parameter, parameter)
                                  : 0;
  }
  return unary + ones[count - 1] + 1;
}

// Decodes a last block that is not full (common/codec/distances.h), from byte `begin` of `payload`. False: corrupt.
__device__ inline bool decode_last_block(StreamWords stream, std::uint64_t begin, std::uint64_t payload,
                                         std::uint32_t parameter, std::uint32_t size, std::uint32_t lane,
                                         std::uint32_t* ones, Four& numbers) {
  return parameter <= 31 && begin <= payload &&
         decode_rice(stream, begin * 8, payload * 8, parameter, size, lane, ones, numbers) != 0;
}

// rice: low parts are packed as in simd-bp128; unary parts are in a bit vector of their own. A prefix sum of the counts
// of ones finds every number's unary part; a second prefix sum adds the numbers up. Both stay within a block: the index
// says where its low and unary parts begin. (Ding et al. 2009 §6.1, with base sums by block. We join the two parts
// before the second sum, so that one sum is enough instead of two.) Format: docs/formats/rice.md.

using device::unpack_rows;

struct Rice {
  static constexpr std::uint32_t kRun = 8, kAhead = 1, kResident = 1;
  static constexpr bool kAdds = true, kSimple = false;
  struct Scratch {
    std::uint32_t ones[kBlockLength];
  };
  struct Place {
    std::uint32_t low_unit;   // where the low parts begin, in units of 16 bytes
    std::uint32_t byte, bit;  // where the unary parts begin; the whole code, if the block is not full
    std::uint32_t bits;       // size of the unary parts
    std::uint32_t parameter;
  };

  __device__ static std::uint64_t payload_of(StreamWords stream, std::uint32_t count) {
    return stream.size - codec::rice_index_bytes(count);
  }
  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    if (stream.size < codec::rice_index_bytes(of.count)) return false;
    const std::uint32_t full = of.count / kBlockLength;
    const std::uint64_t parameters = payload_of(stream, of.count), sums = parameters + codec::blocks_of(of.count);
    const std::uint32_t in_group = of.block % codec::kGroupBlocks, group = of.block - in_group;
    const std::uint64_t begin = stream.group_begin(sums + full, of.block) * 16;
    const std::uint32_t widths = stream.sum_of_bytes(parameters + group, min(full - group, codec::kGroupBlocks));
    const std::uint64_t unary = (begin + 16 * std::uint64_t{widths}) * 8 + std::uint64_t{in_group} * kBlockLength +
                                stream.sum_of_bytes(sums + group, in_group);
    place.parameter = stream.byte(parameters + of.block);
    if (of.block == full) {
      place.byte = static_cast<std::uint32_t>((unary + 7) / 8);
      return (unary + 7) / 8 <= parameters;
    }
    const std::uint64_t low = begin + 16 * std::uint64_t{stream.sum_of_bytes(parameters + group, in_group)};
    place.low_unit = static_cast<std::uint32_t>(low / 16);
    place.byte = static_cast<std::uint32_t>(unary / 8);
    place.bit = static_cast<std::uint32_t>(unary % 8);
    place.bits = kBlockLength + stream.byte(sums + of.block);
    return place.parameter <= 31 && low + 16 * place.parameter <= parameters && unary + place.bits <= parameters * 8;
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch& scratch, Unpacked& out) {
    if (!of.full())
      return decode_last_block(stream, place.byte, payload_of(stream, of.count), place.parameter, of.size(), lane,
                               scratch.ones, out.numbers);
    const std::uint64_t unary = std::uint64_t{place.byte} * 8 + place.bit;
    out.numbers = unpack_rows(stream.words + std::size_t{place.low_unit} * 4, place.parameter, lane);
    out.narrow = place.parameter < 16;
    if (find_ones(stream, unary, unary + place.bits, kBlockLength, lane, scratch.ones) != kBlockLength) return false;
    for (std::uint32_t i = 0; i < 4; ++i)
      out.numbers.at[i] |= unary_part(scratch.ones, 4 * lane + i) << place.parameter;
    return true;
  }
  // The zeros of the unary parts before the run: at most 255, since Place::bits is at most 128 + 255.
  using RunStart = std::uint8_t;
  // From `skipped` bits behind the begin of the unary parts.
  __device__ static UnaryReader unary_from(StreamWords stream, const Place& place, std::uint32_t skipped) {
    const std::uint32_t bit = place.byte % 4 * 8 + place.bit;
    return {stream.words + place.byte / 4, bit + skipped, (bit + place.bits + 31) / 32};
  }
  __device__ static void find_runs(StreamWords stream, Place& place, RunStart* to) {
    UnaryReader unary = unary_from(stream, place, 0);
    std::uint32_t zeros = 0;
    for (std::uint32_t number = 0; number < kBlockLength; ++number) {
      if (number % kRunLength == 0) to[number / kRunLength] = static_cast<RunStart>(zeros);
      zeros += unary.take();
    }
  }
  __device__ static UnaryReader unary_of(StreamWords stream, const Place& place, std::uint32_t first, RunStart start) {
    UnaryReader unary = unary_from(stream, place, first / kRunLength * kRunLength + start);
    unary.skip(first % kRunLength);
    return unary;
  }
  __device__ static std::uint32_t one(StreamWords stream, const Place& place, std::uint32_t index, RunStart start) {
    const std::uint32_t* const low = stream.words + std::size_t{place.low_unit} * 4;
    return codec::vertical_number(low, index, place.parameter) | unary_of(stream, place, index, start).take()
                                                                     << place.parameter;
  }
  struct Reader {
    RowReader<true> rows;
    UnaryReader unary;
    std::uint32_t parameter;
    __device__ Reader(StreamWords stream, const Place& place, std::uint32_t first, RunStart start)
        : rows(stream.words + std::size_t{place.low_unit} * 4, place.parameter, first),
          unary(unary_of(stream, place, first, start)),
          parameter(place.parameter) {}
    __device__ Four next() {
      Four numbers = rows.next();
      for (std::uint32_t& number : numbers.at) number |= unary.take() << parameter;
      return numbers;
    }
  };
};

}  // namespace frond::device_codec
