// vbyte, varintgb, streamvbyte, gpu-vbyte128 and gpu-vbyte1024. (Mallia et al. 2019 §2, §3.2, Algorithm 2: a prefix sum
// of the lengths says where each number's bytes begin.) Format: docs/formats/byte-codecs.md.
#include "common/codec/gpu_vbyte.h"
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"
#include "common/device_codec/endpoints.cuh"

namespace frond::device_codec {
namespace {

// Four lengths in a code byte, or many in a word of such: their sum.
__device__ inline std::uint32_t sum_of_lengths(std::uint32_t codes, std::uint32_t numbers) {
  return numbers + static_cast<std::uint32_t>(__popc(codes & 0x55555555) + 2 * __popc(codes & 0xaaaaaaaa));
}

// As codec::BytesOfBlock reads them: what a corrupt length leads to behind the stream is 0.
__device__ inline std::uint32_t word_or_zero(StreamWords stream, std::uint32_t word) {
  return word < static_cast<std::uint32_t>(stream.size / 4) ? __ldg(stream.words + word) : 0;
}

// The number of `length` bytes that begins `offset` <= 12 bytes into four words.
__device__ inline std::uint32_t number_in(const std::uint32_t (&words)[4], std::uint32_t offset, std::uint32_t length) {
  const std::uint32_t low = offset < 4 ? words[0] : offset < 8 ? words[1] : offset < 12 ? words[2] : words[3];
  const std::uint32_t high = offset < 4 ? words[1] : offset < 8 ? words[2] : words[3];
  return __funnelshift_r(low, high, offset % 4 * 8) & 0xffffffffu >> (32 - 8 * length);
}

// The four numbers of a code byte (length_codes.h), whose bytes begin at byte `at`.
__device__ inline Four length_coded_four(StreamWords stream, std::uint32_t at, std::uint32_t code) {
  const std::uint32_t lengths[4] = {(code & 3) + 1, (code >> 2 & 3) + 1, (code >> 4 & 3) + 1, (code >> 6 & 3) + 1};
  const std::uint32_t second = lengths[0], third = second + lengths[1], fourth = third + lengths[2];
  const std::uint32_t word = at / 4, shift = at % 4 * 8, behind = at % 4 + fourth + lengths[3];
  std::uint32_t read[5];
  read[0] = word_or_zero(stream, word);
  read[1] = word_or_zero(stream, word + 1);
  read[2] = behind > 8 ? word_or_zero(stream, word + 2) : 0;
  read[3] = behind > 12 ? word_or_zero(stream, word + 3) : 0;
  read[4] = behind > 16 ? word_or_zero(stream, word + 4) : 0;
  const std::uint32_t words[4] = {__funnelshift_r(read[0], read[1], shift), __funnelshift_r(read[1], read[2], shift),
                                  __funnelshift_r(read[2], read[3], shift), __funnelshift_r(read[3], read[4], shift)};
  return Four{{words[0] & 0xffffffffu >> (32 - 8 * lengths[0]), number_in(words, second, lengths[1]),
               number_in(words, third, lengths[2]), number_in(words, fourth, lengths[3])}};
}

// Where the length codes and the bytes of a block begin, in bytes of the stream.
struct CodesAndBytes {
  std::uint32_t codes, bytes;
};
// A lane's four numbers are those of one code byte.
__device__ inline void unpack_length_coded(StreamWords stream, const BlockOfList& of, CodesAndBytes at,
                                           std::uint32_t lane, Unpacked& out) {
  const bool there = 4 * lane < of.size();
  const std::uint32_t code = there ? stream.byte(at.codes + lane) : 0;
  const std::uint32_t offset = sum_before(sum_of_lengths(code, 4), lane);
  if (there) out.numbers = length_coded_four(stream, at.bytes + offset, code);
}

struct StreamVByte {
  static constexpr std::uint32_t kRun = 8, kAhead = 2;
  static constexpr bool kAdds = true;
  struct Scratch {};
  using Place = CodesAndBytes;

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
};

template <std::uint32_t kLength>
struct GpuVByte {
  static constexpr std::uint32_t kRun = 8, kAhead = 2;
  static constexpr bool kAdds = true;
  static constexpr std::uint32_t kParts = kLength / kBlockLength;
  struct Scratch {};
  struct Place {
    std::uint32_t begin, end;
  };

  __device__ static std::uint32_t codes_of(const BlockOfList& of) {
    return codec::blocks_of(min(kLength, of.count - of.block / kParts * kLength), 4);
  }
  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    Extent extent;
    if (!extent_of(stream, codec::blocks_of(of.count, kLength), of.block / kParts, codec::kGpuVByteUnit, 0, extent))
      return false;
    place = {extent.begin, extent.end};
    return codes_of(of) <= extent.end - extent.begin;
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch&, Unpacked& out) {
    const std::uint32_t own = of.block % kParts * (kBlockLength / 4);  // code bytes before this part's
    std::uint32_t from = codes_of(of);
    if (kParts > 1) {
      std::uint32_t before = 0;
      for (std::uint32_t at = 4 * lane; at < own; at += 4 * 32)
        before += sum_of_lengths(stream.word(place.begin + at), 16);
      from += __reduce_add_sync(kFullWarp, before);
      if (from > place.end - place.begin) return false;
    }
    unpack_length_coded(stream, of, {place.begin + own, place.begin + from}, lane, out);
    return true;
  }
};

// Codes and bytes alternate, so groups are found one after the other; every lane goes along and stops at its own.
struct VarintGB {
  static constexpr std::uint32_t kRun = 8, kAhead = 1;
  static constexpr bool kAdds = true;
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
    if (lane < groups) out.numbers = length_coded_four(stream, own, own_code);
    return true;
  }
};

// The last byte of every number is known by its top bit; a prefix sum of how many there are says whose it is.
struct VByte {
  static constexpr std::uint32_t kRun = 8, kAhead = 1;
  static constexpr bool kAdds = true;
  struct Scratch {
    std::uint16_t ends[kBlockLength];  // of each number, from the block's begin
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
};

}  // namespace

Result<void> decode_vbyte(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<VByte>("decode_vbyte", batch, stream);
}
Result<void> decode_varintgb(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<VarintGB>("decode_varintgb", batch, stream);
}
Result<void> decode_streamvbyte(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<StreamVByte>("decode_streamvbyte", batch, stream);
}
Result<void> decode_gpu_vbyte128(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<GpuVByte<128>>("decode_gpu_vbyte128", batch, stream);
}
Result<void> decode_gpu_vbyte1024(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<GpuVByte<1024>>("decode_gpu_vbyte1024", batch, stream);
}

}  // namespace frond::device_codec
