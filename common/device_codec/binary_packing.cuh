#pragma once
// simd-bp128, bp32, gpu-bp128 and gpu-bp256. (Mallia et al. 2019 §2, §3.1, Algorithm 1: the width follows from the
// endpoints; each thread reads the bits of its numbers.) Formats: docs/formats/simd-bp128.md, binary-packing.md.
#include "common/codec/binary_packing/bp32.h"
#include "common/codec/binary_packing/gpu_bp.h"
#include "common/codec/binary_packing/simd_bp128.h"
#include "common/device/unpack.cuh"
#include "common/device_codec/block_of_list.cuh"
#include "common/device_codec/readers.cuh"
#include "common/device_codec/rice.cuh"

namespace frond::device_codec {

using device::unpack_rows, device::unpack_string;

struct SimdBp128 {
  static constexpr std::uint32_t kRun = 8, kAhead = 2, kResident = 8;
  static constexpr bool kAdds = true;
  struct Scratch {
    std::uint32_t ones[kBlockLength];
  };
  struct Place {
    std::uint32_t unit;   // where it begins, in units of 16 bytes
    std::uint32_t width;  // its Rice parameter, if the block is not full
  };

  static constexpr bool kSimple = true;
  __device__ static bool simple(const Place& place) { return place.width <= 24; }
  __device__ static Four unpack_simple(StreamWords stream, const Place& place, std::uint32_t lane, bool&) {
    return unpack_rows(stream.words + std::size_t{place.unit} * 4, place.width, lane);
  }
  __device__ static std::uint64_t payload_of(StreamWords stream, std::uint32_t count) {
    return stream.size - codec::simd_bp_index_bytes(count);
  }
  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    if (stream.size < codec::simd_bp_index_bytes(of.count)) return false;
    const std::uint64_t widths = payload_of(stream, of.count);
    const std::uint64_t checkpoints =
        stream.size - 4 * std::uint64_t{codec::checkpoints_of(codec::blocks_of(of.count))};
    const std::uint64_t begin = stream.block_begin(widths, checkpoints, of.block);
    place = {static_cast<std::uint32_t>(begin), stream.byte(widths + of.block)};
    if (!of.full()) return begin * 16 <= widths;
    return place.width <= 32 && (begin + place.width) * 16 <= widths;
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch& scratch, Unpacked& out) {
    if (!of.full())
      return decode_last_block(stream, std::uint64_t{place.unit} * 16, payload_of(stream, of.count), place.width,
                               of.size(), lane, scratch.ones, out.numbers);
    out = {unpack_rows(stream.words + std::size_t{place.unit} * 4, place.width, lane), place.width <= 24};
    return true;
  }
  struct Reader {
    RowReader<true> rows;
    __device__ Reader(StreamWords stream, const BlockOfList&, const Place& place, std::uint32_t first)
        : rows(stream.words + std::size_t{place.unit} * 4, place.width, first) {}
    __device__ Four next() { return rows.next(); }
  };
};

// Numbers of one width in a bit string that lies within the stream.
struct StringReader {
  BasicBitReader<false> bits;
  std::uint32_t width;
  __device__ StringReader(StreamWords stream, std::uint64_t bit, std::uint32_t its_width)
      : bits(stream, bit), width(its_width) {}
  __device__ Four next() {
    Four numbers;
    for (std::uint32_t& number : numbers.at) number = bits.take(width);
    return numbers;
  }
};

template <std::uint32_t kLength>
struct GpuBp {
  static constexpr std::uint32_t kRun = 8, kAhead = 2, kResident = 8;
  static constexpr bool kAdds = true;
  struct Scratch {};
  struct Place {
    std::uint32_t word, width;
  };
  static constexpr bool kSimple = true;
  __device__ static bool simple(const Place& place) { return place.width <= 24; }
  __device__ static Four unpack_simple(StreamWords stream, const Place& place, std::uint32_t lane, bool&) {
    return unpack_string(stream.words + place.word, 4 * lane * place.width, place.width);
  }

  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    constexpr std::uint32_t kParts = kLength / kBlockLength;
    const std::uint32_t mine = of.block / kParts, part = of.block % kParts;
    Extent extent;
    if (!extent_of(stream, codec::blocks_of(of.count, kLength), mine, codec::kGpuBpUnit, 0, extent)) return false;
    const std::uint32_t words = (extent.end - extent.begin) / 4, numbers = of.count - mine * kLength;
    place.width = numbers >= kLength ? min(words / (kLength / 32), 32u) : codec::gpu_bp_width(words, numbers);
    place.word = extent.begin / 4 + part * place.width * (kBlockLength / 32);
    return true;
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch&, Unpacked& out) {
    // The stream may end behind the last number.
    if (of.full() || 4 * lane < of.size())
      out.numbers = unpack_string(stream.words + place.word, 4 * lane * place.width, place.width);
    out.narrow = place.width <= 24;
    return true;
  }
  struct Reader : StringReader {
    __device__ Reader(StreamWords stream, const BlockOfList&, const Place& place, std::uint32_t first)
        : StringReader(stream, std::uint64_t{place.word} * 32 + first * place.width, place.width) {}
  };
  // One number of a full block.
  __device__ static std::uint32_t one(StreamWords stream, const Place& place, std::uint32_t index) {
    return stream.bits(std::uint64_t{place.word} * 32 + index * place.width, place.width);
  }
};

struct Bp32 {
  static constexpr std::uint32_t kRun = 8, kAhead = 1, kResident = 1;
  static constexpr bool kAdds = true, kSimple = false;
  struct Scratch {};
  struct Place {
    std::uint32_t words[4], widths;  // of the four groups: first word; width, one byte each
  };

  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    const std::uint64_t index = codec::bp32_index_bytes(of.count);
    if (stream.size < index) return false;
    const std::uint64_t widths = stream.size - index;
    const std::uint64_t checkpoints = stream.size - 4 * std::uint64_t{codec::bp32_checkpoints(of.count)};
    const std::uint32_t stretch = of.block / codec::kBp32CheckpointBlocks;
    const std::uint32_t inside = of.block % codec::kBp32CheckpointBlocks;
    std::uint64_t at = stretch ? stream.word(checkpoints + 4 * std::uint64_t{stretch - 1}) : 0;
    const std::uint64_t own = widths + 4 * std::uint64_t{of.block};
    for (std::uint32_t i = 1; i <= inside; ++i) at += stream.sum_of_bytes(own - 4 * std::uint64_t{i}, 4);
    place.widths = stream.word(own);
    for (std::uint32_t group = 0; group < 4 && group * codec::kBp32Group < of.size(); ++group) {
      const std::uint32_t width = place.widths >> 8 * group & 0xff;
      place.words[group] = static_cast<std::uint32_t>(at);
      at += codec::blocks_of(min(codec::kBp32Group, of.size() - group * codec::kBp32Group) * width, 32);
      if (width > 32 || at * 4 > widths) return false;
    }
    return true;
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch&, Unpacked& out) {
    const std::uint32_t group = lane / 8, width = place.widths >> 8 * group & 0xff;
    if (4 * lane < of.size()) {
      const std::uint32_t word = group < 2 ? place.words[group % 2] : place.words[2 + group % 2];
      for (std::uint32_t i = 0; i < 4; ++i)
        out.numbers.at[i] = stream.bits(std::uint64_t{word} * 32 + (4 * (lane % 8) + i) * width, width);
    }
    return true;
  }
  __device__ static std::uint32_t width_at(const Place& place, std::uint32_t index) {
    return place.widths >> 8 * (index / codec::kBp32Group) & 0xff;
  }
  __device__ static std::uint64_t bit_of(const Place& place, std::uint32_t index) {
    const std::uint32_t group = index / codec::kBp32Group;
    const std::uint32_t word = group < 2 ? place.words[group % 2] : place.words[2 + group % 2];
    return std::uint64_t{word} * 32 + std::uint64_t{index % codec::kBp32Group} * width_at(place, index);
  }
  struct Reader : StringReader {
    __device__ Reader(StreamWords stream, const BlockOfList&, const Place& place, std::uint32_t first)
        : StringReader(stream, bit_of(place, first), width_at(place, first)) {}
  };
};

}  // namespace frond::device_codec
