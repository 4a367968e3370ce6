#pragma once
// pfd, newpfd and parapfor: unpacks slots of one width, then patches the exceptions in shared memory. (Ao et al. 2011
// §4.1, appendix G: ParaPFor's all at once; PFor's are a chain that one lane follows.) Format: docs/formats/patched.md.
#include "common/codec/patched/newpfd.h"
#include "common/codec/patched/parapfor.h"
#include "common/codec/patched/pfd.h"
#include "common/device/unpack.cuh"
#include "common/device_codec/block_of_list.cuh"
#include "common/device_codec/readers.cuh"
#include "common/device_codec/rice.cuh"

namespace frond::device_codec {

using device::unpack_rows_of_words;

struct PatchedScratch {
  std::uint32_t numbers[kBlockLength];  // as stored: slots, then patched
  std::uint32_t others[kBlockLength];
};
// The exceptions of a block, in bits of the stream.
struct ExceptionBits {
  std::uint64_t begin, end;
};

// Each format patches scratch.numbers. False, in all lanes: the exceptions are corrupt.
//
// Its Chain gives one thread the exceptions in the order of their places: `place` of the next one, kBlockLength or more
// if there is none; patched() a number, whose slot it gets; advance() to the next.
struct ParaPFor {
  static constexpr std::uint32_t kHeaderBytes = 4;
  __device__ static bool patch(StreamWords stream, std::uint32_t bits, ExceptionBits at, std::uint32_t lane,
                               PatchedScratch& scratch) {
    const codec::ParaPForHeader header = codec::parapfor_header(bits);
    if (header.b > 31 || header.h_b > 32 || header.e_n * (header.i_b + header.h_b) > at.end - at.begin) return false;
    const std::uint64_t highs = at.begin + header.e_n * header.i_b;
    for (std::uint32_t j = lane; j < header.e_n; j += 32) {
      const std::uint32_t place = stream.bits(at.begin + j * header.i_b, header.i_b);
      // Corrupt bytes may name a place twice.
      atomicAdd(&scratch.numbers[place], stream.bits(highs + j * header.h_b, header.h_b) << header.b);
    }
    return true;
  }
  // Only of blocks whose places ascend, as the encoder writes them.
  struct Chain {
    StreamWords stream;
    codec::ParaPForHeader header;
    std::uint64_t begin;
    std::uint32_t next = 0, place = 0;
    __device__ Chain(StreamWords its_stream, std::uint32_t bits, ExceptionBits at, const std::uint32_t*,
                     std::uint32_t first)
        : stream(its_stream), header(codec::parapfor_header(bits)), begin(at.begin) {
      read();
      while (place < first) advance();
    }
    __device__ void read() {
      place = next < header.e_n ? stream.bits(begin + next * header.i_b, header.i_b) : kBlockLength;
    }
    __device__ void advance() {
      ++next;
      read();
    }
    __device__ std::uint32_t patched(std::uint32_t slot) const {
      return slot + (stream.bits(begin + header.e_n * header.i_b + next * header.h_b, header.h_b) << header.b);
    }
  };
};

struct NewPfd {
  static constexpr std::uint32_t kHeaderBytes = 2;
  __device__ static bool patch(StreamWords stream, std::uint32_t bits, ExceptionBits at, std::uint32_t lane,
                               PatchedScratch& scratch) {
    const codec::NewPfdHeader header = codec::newpfd_header(bits);
    if (header.width > 31 || header.count == 0) return false;
    Four gaps, highs;
    const std::uint64_t behind = decode_rice(stream, at.begin, at.end, codec::newpfd_place_parameter(header.count),
                                             header.count, lane, scratch.others, gaps);
    if (behind == 0 || decode_rice(stream, behind, at.end, codec::newpfd_high_parameter(header.parameter_code),
                                   header.count, lane, scratch.others, highs) == 0)
      return false;
    const Four places = add_up(gaps, ~std::uint32_t{0}, lane);
    bool wrong = false;
    for (std::uint32_t i = 0; i < 4; ++i)
      wrong |= 4 * lane + i < header.count && (gaps.at[i] | places.at[i]) >= kBlockLength;
    if (__any_sync(kFullWarp, wrong)) return false;
    for (std::uint32_t i = 0; i < 4; ++i)
      if (4 * lane + i < header.count) scratch.numbers[places.at[i]] += (highs.at[i] + 1) << header.width;
    return true;
  }
  struct Chain {
    StreamWords stream;
    std::uint64_t lows, high_lows;  // the numbers' low bits: of distances between places, of high parts
    std::uint32_t parameter, high_parameter, width, count, next = 0;
    std::uint32_t place = ~std::uint32_t{0};
    BitReader unary, high_unary;
    __device__ Chain(StreamWords its_stream, std::uint32_t bits, ExceptionBits at, const std::uint32_t*,
                     std::uint32_t first)
        : stream(its_stream),
          lows(at.begin),
          parameter(codec::newpfd_place_parameter(codec::newpfd_header(bits).count)),
          high_parameter(codec::newpfd_high_parameter(codec::newpfd_header(bits).parameter_code)),
          width(codec::newpfd_header(bits).width),
          count(codec::newpfd_header(bits).count),
          unary(its_stream, at.begin + count * parameter),
          high_unary(unary) {
      high_lows = at.begin + count * parameter + high_unary.skip_ones(count);
      high_unary = BitReader(stream, high_lows + count * high_parameter);
      read();
      while (place < first) {
        ++next;
        read();
      }
      high_unary.skip_ones(next);
    }
    __device__ void read() {
      if (next < count) {
        const std::uint32_t high = unary.take_unary();
        place += 1 + (high << parameter | stream.bits(lows + next * parameter, parameter));
      } else {
        place = kBlockLength;
      }
    }
    __device__ void advance() {
      ++next;
      read();
    }
    // Once for each exception.
    __device__ std::uint32_t patched(std::uint32_t slot) {
      const std::uint32_t high = high_unary.take_unary();
      return slot +
             (((high << high_parameter | stream.bits(high_lows + next * high_parameter, high_parameter)) + 1) << width);
    }
  };
};

struct Pfd {
  static constexpr std::uint32_t kHeaderBytes = 4;
  __device__ static bool patch(StreamWords stream, std::uint32_t bits, ExceptionBits at, std::uint32_t lane,
                               PatchedScratch& scratch) {
    const codec::PfdHeader header = codec::pfd_header(bits);
    if (header.value_width > 32 || header.count * header.value_width > at.end - at.begin) return false;
    for (std::uint32_t j = lane; j < header.count; j += 32)
      scratch.others[j] = stream.bits(at.begin + j * header.value_width, header.value_width);
    __syncwarp();
    bool fine = true;
    if (lane == 0) {
      std::uint32_t place = header.first;
      for (std::uint32_t i = 0; i < header.count && fine; ++i) {
        fine = place < kBlockLength;
        if (!fine) break;
        const std::uint32_t next = place + scratch.numbers[place] + 1;
        scratch.numbers[place] = scratch.others[i];
        fine = next >= place;
        place = next;
      }
    }
    return __all_sync(kFullWarp, fine);
  }
  struct Chain {
    StreamWords stream;
    codec::PfdHeader header;
    std::uint64_t begin;
    const std::uint32_t* slots;
    std::uint32_t next = 0, place = 0;
    __device__ Chain(StreamWords its_stream, std::uint32_t bits, ExceptionBits at, const std::uint32_t* its_slots,
                     std::uint32_t first)
        : stream(its_stream), header(codec::pfd_header(bits)), begin(at.begin), slots(its_slots) {
      place = header.count != 0 ? header.first : kBlockLength;
      while (place < first) advance();
    }
    __device__ void advance() {
      const std::uint32_t gap = header.width != 0 ? codec::vertical_number(slots, place, header.width) : 0;
      place = ++next < header.count ? place + gap + 1 : kBlockLength;
    }
    __device__ std::uint32_t patched(std::uint32_t) const {
      return stream.bits(begin + next * header.value_width, header.value_width);
    }
  };
};

template <class Format>
struct Patched {
  static constexpr std::uint32_t kRun = 8, kAhead = 1, kResident = 1;
  static constexpr bool kAdds = true, kSimple = false;
  using Scratch = PatchedScratch;
  struct Place {
    std::uint32_t word, words;  // where the block begins; its size, if it is full
    std::uint32_t header;       // the Rice parameter, if the block is not full
  };

  __device__ static std::uint64_t payload_of(StreamWords stream, std::uint32_t count) {
    return stream.size - codec::patched_index_bytes(count, Format::kHeaderBytes);
  }
  __device__ static bool find(StreamWords stream, const BlockOfList& of, Place& place) {
    if (stream.size < codec::patched_index_bytes(of.count, Format::kHeaderBytes)) return false;
    const std::uint64_t sizes = payload_of(stream, of.count), headers = sizes + codec::blocks_of(of.count);
    const std::uint64_t checkpoints = headers + std::uint64_t{codec::blocks_of(of.count)} * Format::kHeaderBytes;
    const std::uint64_t begin = stream.block_begin(sizes, checkpoints, of.block) * 4;
    place.header =
        stream.bits((headers + std::uint64_t{of.block} * Format::kHeaderBytes) * 8, 8 * Format::kHeaderBytes);
    place.word = static_cast<std::uint32_t>(begin / 4);
    if (!of.full()) return begin <= sizes;
    place.words = stream.byte(sizes + of.block);
    const std::uint32_t width = place.header % 64;
    return width <= 32 && 4 * width <= place.words && begin + place.words * 4 <= sizes;
  }
  __device__ static bool unpack(StreamWords stream, const BlockOfList& of, const Place& place, std::uint32_t lane,
                                Scratch& scratch, Unpacked& out) {
    if (!of.full())
      return decode_last_block(stream, std::uint64_t{place.word} * 4, payload_of(stream, of.count), place.header,
                               of.size(), lane, scratch.others, out.numbers);
    const std::uint32_t width = place.header % 64;
    out.numbers = unpack_rows_of_words(stream.words + place.word, width, lane);
    out.narrow = width <= 24;
    if (4 * width == place.words) return true;
    out.narrow = false;
    __syncwarp();
    for (std::uint32_t i = 0; i < 4; ++i) scratch.numbers[4 * lane + i] = out.numbers.at[i];
    __syncwarp();
    if (!Format::patch(stream, place.header, exceptions_of(place), lane, scratch)) return false;
    __syncwarp();
    for (std::uint32_t i = 0; i < 4; ++i) out.numbers.at[i] = scratch.numbers[4 * lane + i];
    return true;
  }
  __device__ static ExceptionBits exceptions_of(const Place& place) {
    return {(std::uint64_t{place.word} + 4 * (place.header % 64)) * 32, (std::uint64_t{place.word} + place.words) * 32};
  }
  struct Reader {
    RowReader<false> rows;
    typename Format::Chain chain;
    std::uint32_t index;
    bool patches;
    __device__ Reader(StreamWords stream, const BlockOfList&, const Place& place, std::uint32_t first)
        : rows(stream.words + place.word, place.header % 64, first),
          // Without exceptions the header's other fields are not read: `first` is behind them all.
          chain(stream, 4 * (place.header % 64) == place.words ? 0 : place.header, exceptions_of(place),
                stream.words + place.word, first),
          index(first),
          patches(4 * (place.header % 64) != place.words) {}
    __device__ Four next() {
      Four numbers = rows.next();
      for (std::uint32_t& number : numbers.at) {
        if (patches && chain.place == index) {
          number = chain.patched(number);
          chain.advance();
        }
        ++index;
      }
      return numbers;
    }
  };
};

}  // namespace frond::device_codec
