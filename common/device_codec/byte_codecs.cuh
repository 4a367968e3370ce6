#pragma once
// vbyte, varintgb, streamvbyte, gpu-vbyte128 and gpu-vbyte1024. (Mallia et al. 2019 §2, §3.2, Algorithm 2: a prefix sum
// of the lengths says where each number's bytes begin.) Format: docs/formats/byte-codecs.md.
#include "common/codec/byte_codecs/byte_codecs.h"
#include "common/device_codec/block_of_list.cuh"
#include "common/device_codec/readers.cuh"

namespace frond::device_codec {

// The sum of `numbers` lengths: four in a code byte, 16 in a word of code bytes.
__device__ inline std::uint32_t sum_of_lengths(std::uint32_t codes, std::uint32_t numbers) {
  return numbers + static_cast<std::uint32_t>(__popc(codes & 0x55555555) + 2 * __popc(codes & 0xaaaaaaaa));
}

// Words behind the stream, which corrupt lengths may lead to, read as 0; as in codec::BytesOfBlock.
__device__ inline std::uint32_t word_or_zero(StreamWords stream, std::uint32_t word) {
  return word < static_cast<std::uint32_t>(stream.size / 4) ? __ldg(stream.words + word) : 0;
}

// The number of `length` bytes that begins at byte `offset` <= 12 of four words.
__device__ inline std::uint32_t number_in(const std::uint32_t (&words)[4], std::uint32_t offset, std::uint32_t length) {
  const std::uint32_t low = offset < 4 ? words[0] : offset < 8 ? words[1] : offset < 12 ? words[2] : words[3];
  const std::uint32_t high = offset < 4 ? words[1] : offset < 8 ? words[2] : words[3];
  return __funnelshift_r(low, high, offset % 4 * 8) & 0xffffffffu >> (32 - 8 * length);
}

// The four numbers of a code byte (length_codes.h), whose bytes begin at byte `at`. read(i): word i of the stream.
template <class Read>
__device__ inline Four length_coded_four(std::uint32_t at, std::uint32_t code, const Read& read) {
  const std::uint32_t second = (code & 3) + 1, third = second + (code >> 2 & 3) + 1;
  const std::uint32_t fourth = third + (code >> 4 & 3) + 1, behind = fourth + (code >> 6 & 3) + 1;
  const std::uint32_t word = at / 4, shift = at % 4 * 8, bytes = at % 4 + behind;
  const std::uint32_t first = read(word), next = bytes > 4 ? read(word + 1) : 0;
  std::uint32_t words[4] = {__funnelshift_r(first, next, shift), next >> shift, 0, 0};
  if (bytes > 8) {
    const std::uint32_t more = read(word + 2), last = bytes > 12 ? read(word + 3) : 0;
    words[1] = __funnelshift_r(next, more, shift);
    words[2] = __funnelshift_r(more, last, shift);
    words[3] = __funnelshift_r(last, bytes > 16 ? read(word + 4) : 0, shift);
  }
  return Four{{words[0] & 0xffffffffu >> (32 - 8 * second), number_in(words, second, third - second),
               number_in(words, third, fourth - third), number_in(words, fourth, behind - fourth)}};
}

// Where the length codes and the bytes of a block begin, in bytes of the stream.
struct CodesAndBytes {
  std::uint32_t codes, bytes;
};
// Each lane decodes the four numbers of one code byte.
__device__ inline void unpack_length_coded(StreamWords stream, const BlockOfList& of, CodesAndBytes at,
                                           std::uint32_t lane, Unpacked& out) {
  const bool there = 4 * lane < of.size();
  const std::uint32_t code = there ? stream.byte(at.codes + lane) : 0;
  const std::uint32_t offset = sum_before(sum_of_lengths(code, 4), lane);
  if (there)
    out.numbers =
        length_coded_four(at.bytes + offset, code, [&](std::uint32_t word) { return word_or_zero(stream, word); });
}

// The same for a full block. `doubtful`: a number has four bytes, or the block ends behind the stream.
__device__ inline Four unpack_simple_length_coded(StreamWords stream, CodesAndBytes at, std::uint32_t lane,
                                                  bool& doubtful) {
  const std::uint32_t code = stream.byte(at.codes + lane), own = sum_of_lengths(code, 4);
  const std::uint32_t begin = at.bytes + sum_before(own, lane);
  const bool outside = begin + own > static_cast<std::uint32_t>(stream.size);
  doubtful |= outside || (code & code >> 1 & 0x55) != 0;
  return length_coded_four(outside ? 0 : begin, code, [&](std::uint32_t word) { return __ldg(stream.words + word); });
}

// Skips the numbers before `first` by their length codes.
struct LengthCodedReader {
  std::uint32_t codes;  // of the numbers to come, two bits each
  BitReader bytes;
  __device__ LengthCodedReader(StreamWords stream, CodesAndBytes at, std::uint32_t first)
      : codes(stream.word(at.codes + first / 16 * 4)), bytes(stream, std::uint64_t{8} * begin_of(stream, at, first)) {
    codes >>= first % 16 * 2;
  }
  __device__ static std::uint32_t begin_of(StreamWords stream, CodesAndBytes at, std::uint32_t first) {
    std::uint32_t begin = at.bytes;
    for (std::uint32_t word = 0; word < first / 16; ++word)
      begin += sum_of_lengths(stream.word(at.codes + 4 * word), 16);
    const std::uint32_t some = first % 16;
    return begin + sum_of_lengths(stream.word(at.codes + first / 16 * 4) & ((1u << 2 * some) - 1), some);
  }
  __device__ Four next() {
    Four numbers;
    for (std::uint32_t& number : numbers.at) {
      number = bytes.take(8 * (codes % 4 + 1));
      codes >>= 2;
    }
    return numbers;
  }
};

struct StreamVByte {
  static constexpr std::uint32_t kRun = 8, kAhead = 1, kResident = 8;
  static constexpr bool kAdds = true;
  struct Scratch {};
  using Place = CodesAndBytes;
  static constexpr bool kSimple = true;
  __device__ static bool simple(const Place&) { return true; }
  __device__ static Four unpack_simple(StreamWords stream, const Place& place, std::uint32_t lane, bool& doubtful) {
    return unpack_simple_length_coded(stream, place, lane, doubtful);
  }

  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    const std::uint32_t blocks = codec::blocks_of(of.count);
    const std::uint32_t codes = (codec::blocks_of(of.count, 4) + 3) / 4 * 4;
    Extent extent;
    if (!extent_of(stream, blocks, of.block, 1, codes, extent)) return false;
    const std::uint64_t all_codes = stream.size - std::uint64_t{blocks} * 4 - codes;
    place = {static_cast<std::uint32_t>(all_codes + of.block * (kBlockLength / 4)), extent.begin};
    return true;
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch&, Unpacked& out) {
    unpack_length_coded(stream, of, place, lane, out);
    return true;
  }
  struct Reader : LengthCodedReader {
    __device__ Reader(StreamWords stream, const BlockOfList&, const Place& place, std::uint32_t first)
        : LengthCodedReader(stream, place, first) {}
  };
};

template <std::uint32_t kLength>
struct GpuVByte {
  static constexpr std::uint32_t kRun = 8, kAhead = 1, kResident = 8;
  static constexpr bool kAdds = true;
  static constexpr std::uint32_t kParts = kLength / kBlockLength;
  struct Scratch {};
  struct Place {
    std::uint32_t begin, end;
    std::uint32_t part;  // which 128 numbers of the codec's block; kParts: that block is not full
  };
  // These assume kLength / 4 code bytes; a last block that is not full has fewer.
  static constexpr bool kSimple = true;
  __device__ static bool simple(const Place& place) { return place.part < kParts; }
  __device__ static Four unpack_simple(StreamWords stream, const Place& place, std::uint32_t lane, bool& doubtful) {
    const std::uint32_t own = place.part * (kBlockLength / 4);
    std::uint32_t from = kLength / 4;
    if (kParts > 1) {
      from += lengths_before(stream, place, own, lane);
      doubtful |= from > place.end - place.begin;
    }
    return unpack_simple_length_coded(stream, {place.begin + own, place.begin + from}, lane, doubtful);
  }
  // How many bytes the numbers before this part have; they have `own` code bytes. All lanes get the sum.
  __device__ static std::uint32_t lengths_before(StreamWords stream, const Place& place, std::uint32_t own,
                                                 std::uint32_t lane) {
    std::uint32_t before = 0;
    for (std::uint32_t at = 4 * lane; at < own; at += 4 * 32)
      before += sum_of_lengths(stream.word(place.begin + at), 16);
    return __reduce_add_sync(kFullWarp, before);
  }

  __device__ static std::uint32_t codes_of(const BlockOfList& of) {
    return codec::blocks_of(min(kLength, of.count - of.block / kParts * kLength), 4);
  }
  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    Extent extent;
    if (!extent_of(stream, codec::blocks_of(of.count, kLength), of.block / kParts, codec::kGpuVByteUnit, 0, extent))
      return false;
    const bool whole = of.count - of.block / kParts * kLength >= kLength;
    place = {extent.begin, extent.end, whole ? of.block % kParts : kParts};
    return codes_of(of) <= extent.end - extent.begin;
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch&, Unpacked& out) {
    const std::uint32_t own = of.block % kParts * (kBlockLength / 4);  // code bytes before this part's
    std::uint32_t from = codes_of(of);
    if (kParts > 1) {
      from += lengths_before(stream, place, own, lane);
      if (from > place.end - place.begin) return false;
    }
    unpack_length_coded(stream, of, {place.begin + own, place.begin + from}, lane, out);
    return true;
  }
  struct Reader : LengthCodedReader {
    __device__ Reader(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t first)
        : LengthCodedReader(stream, begin_of_part(stream, of, place), first) {}
    __device__ static CodesAndBytes begin_of_part(StreamWords stream, const BlockOfList& of, const Place& place) {
      const std::uint32_t own = of.block % kParts * (kBlockLength / 4);
      std::uint32_t from = codes_of(of);
      for (std::uint32_t at = 0; at < own; at += 4) from += sum_of_lengths(stream.word(place.begin + at), 16);
      return {place.begin + own, place.begin + from};
    }
  };
};

// Code bytes and number bytes alternate, so groups must be found in order. Every lane walks over all and keeps its own.
struct VarintGB {
  static constexpr std::uint32_t kRun = 8, kAhead = 1, kResident = 1;
  static constexpr bool kAdds = true, kSimple = false;
  struct Scratch {};
  struct Place {
    std::uint32_t begin;
  };

  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    Extent extent;
    if (!extent_of(stream, codec::blocks_of(of.count), of.block, 1, 0, extent)) return false;
    place.begin = extent.begin;
    return true;
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch&, Unpacked& out) {
    std::uint32_t at = place.begin, own = 0, own_code = 0;
    const std::uint32_t groups = (of.size() + 3) / 4;
    for (std::uint32_t group = 0; group < groups; ++group) {
      const std::uint32_t code = word_or_zero(stream, at / 4) >> (at % 4 * 8) & 0xff;
      if (group == lane) {
        own = at + 1;
        own_code = code;
      }
      at += 1 + sum_of_lengths(code, 4);
    }
    if (lane < groups)
      out.numbers = length_coded_four(own, own_code, [&](std::uint32_t word) { return word_or_zero(stream, word); });
    return true;
  }
  struct Reader {
    BitReader bytes;
    __device__ Reader(StreamWords stream, const BlockOfList&, const Place& place, std::uint32_t first)
        : bytes(stream, std::uint64_t{8} * begin_of(stream, place.begin, first / 4)) {}
    __device__ static std::uint32_t begin_of(StreamWords stream, std::uint32_t at, std::uint32_t groups) {
      for (; groups != 0; --groups) at += 1 + sum_of_lengths(word_or_zero(stream, at / 4) >> (at % 4 * 8) & 0xff, 4);
      return at;
    }
    __device__ Four next() {
      Four numbers;
      std::uint32_t code = bytes.take(8);
      for (std::uint32_t& number : numbers.at) {
        number = bytes.take(8 * (code % 4 + 1));
        code >>= 2;
      }
      return numbers;
    }
  };
};

// The top bit of a number's last byte is 0. A prefix sum of the counts of last bytes says which number each one ends.
struct VByte {
  static constexpr std::uint32_t kRun = 8, kAhead = 1, kResident = 1;
  static constexpr bool kAdds = true, kSimple = false;
  struct Scratch {
    std::uint16_t ends[kBlockLength];  // of each number, in bytes from the block's begin
  };
  struct Place {
    std::uint32_t begin, end;
  };

  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    Extent extent;
    if (!extent_of(stream, codec::blocks_of(of.count), of.block, 1, 0, extent)) return false;
    place = {extent.begin, extent.end};
    return extent.end - extent.begin <= 5 * of.size();
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch& scratch, Unpacked& out) {
    const std::uint32_t size = of.size(), bytes = place.end - place.begin;
    std::uint32_t found = 0;
    __syncwarp();
    for (std::uint32_t from = 0; from < bytes; from += 4 * 32) {
      const std::uint32_t own = from + 4 * lane;
      std::uint32_t last = own < bytes ? ~stream.bytes(place.begin + own) & 0x80808080u : 0;
      if (own < bytes && bytes - own < 4) last &= (1u << 8 * (bytes - own)) - 1;
      const auto some = static_cast<std::uint32_t>(__popc(last));
      std::uint32_t index = found + sum_before(some, lane);
      found = __shfl_sync(kFullWarp, index + some, 31);
      for (; last != 0; last &= last - 1, ++index)
        if (index < size)
          scratch.ends[index] =
              static_cast<std::uint16_t>(own + static_cast<std::uint32_t>(__ffs(static_cast<int>(last))) / 8);
    }
    __syncwarp();
    if (found != size || scratch.ends[size - 1] != bytes) return false;
    bool fine = true;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t index = 4 * lane + i;
      if (index >= size) break;
      const std::uint32_t begin = index ? scratch.ends[index - 1] : 0, length = scratch.ends[index] - begin;
      fine &= length <= 5;
      const std::uint32_t four = stream.bytes(place.begin + begin);
      std::uint32_t number = 0;
      for (std::uint32_t byte = 0; byte < 4; ++byte)
        if (byte < length) number |= (four >> 8 * byte & 0x7f) << 7 * byte;
      if (length == 5) number |= stream.byte(place.begin + begin + 4) << 28;
      out.numbers.at[i] = number;
    }
    return fine;
  }
  struct Reader {
    BitReader bytes;
    __device__ Reader(StreamWords stream, const BlockOfList&, const Place& place, std::uint32_t first)
        : bytes(stream, std::uint64_t{8} * place.begin) {
      for (std::uint32_t left = first; left != 0;) {
        std::uint32_t ends = ~bytes.peek() & 0x80808080u;
        const auto here = static_cast<std::uint32_t>(__popc(ends));
        if (here < left) {
          left -= here;
          bytes.skip(32);
          if (bytes.behind()) return;
          continue;
        }
        for (; left > 1; --left) ends &= ends - 1;
        bytes.skip(static_cast<std::uint32_t>(__ffs(static_cast<int>(ends))));
        left = 0;
      }
    }
    __device__ Four next() {
      Four numbers;
      for (std::uint32_t& number : numbers.at) {
        const std::uint32_t four = bytes.peek(), ends = ~four & 0x80808080u;
        const std::uint32_t bits = ends != 0 ? static_cast<std::uint32_t>(__ffs(static_cast<int>(ends))) : 32;
        const std::uint32_t own = four & 0x7f7f7f7fu & device::mask_of(bits);
        number = (own & 0x7f) | (own >> 1 & 0x7f << 7) | (own >> 2 & 0x7f << 14) | (own >> 3 & 0x7f << 21);
        bytes.skip(bits);
        if (ends == 0) number |= bytes.take(8) << 28;
      }
      return numbers;
    }
  };
};

}  // namespace frond::device_codec
