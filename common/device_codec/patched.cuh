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
// Its Chain gives one thread the exceptions in the order of their places, from where the start of a run says: `place`
// of the next one, kBlockLength or more if there is none; value(), to be called once for each, and patched(), the
// number of a slot and its value; advance() to the next. A default Chain has no exceptions. find_runs() computes the
// starts of a block that has exceptions; it may keep more in the upper half of the header, where that is of 16 bits.
struct PatchedBlock {
  const std::uint32_t* words;  // where the block begins: its slots
  std::uint32_t size;          // in words
  std::uint32_t header;
  __device__ std::uint32_t width() const { return header % 64; }
  __device__ std::uint32_t begin() const { return 128 * width(); }  // of the exceptions, in bits
  __device__ std::uint32_t bits(std::uint32_t bit, std::uint32_t count) const {
    return codec::bits_at(words, bit, count);
  }
};
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
  // The number of exceptions before the run. Only of blocks whose places ascend, as the encoder writes them.
  using RunStart = std::uint8_t;
  __device__ static std::uint32_t place_at(const PatchedBlock& block, std::uint32_t index) {
    const codec::ParaPForHeader header = codec::parapfor_header(block.header);
    return index < header.e_n ? block.bits(block.begin() + index * header.i_b, header.i_b) : kBlockLength;
  }
  __device__ static void find_runs(PatchedBlock& block, RunStart* to) {
    const codec::ParaPForHeader header = codec::parapfor_header(block.header);
    if (block.begin() + header.e_n * header.i_b > 32 * block.size) return;  // patch() will find that, too
    std::uint32_t next = 0;
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      while (place_at(block, next) < run * kRunLength) ++next;
      to[run] = static_cast<RunStart>(next);
    }
  }
  struct Chain {
    PatchedBlock block{};
    std::uint32_t next = 0, place = kBlockLength;
    Chain() = default;
    __device__ Chain(const PatchedBlock& its_block, RunStart start, std::uint32_t)
        : block(its_block), next(start), place(place_at(its_block, start)) {}
    __device__ void advance() { place = place_at(block, ++next); }
    __device__ std::uint32_t value() const {
      const codec::ParaPForHeader header = codec::parapfor_header(block.header);
      return block.bits(block.begin() + header.e_n * header.i_b + next * header.h_b, header.h_b) << header.b;
    }
    __device__ static std::uint32_t patched(std::uint32_t slot, std::uint32_t value) { return slot + value; }
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
  // Of the exceptions before the run, a byte each from the lowest on: how many; the place of the last, plus one; the
  // zeros of the unary parts of their places' distances, and of their high parts (kManyZeros: too many for a byte).
  using RunStart = std::uint32_t;
  static constexpr std::uint32_t kManyZeros = 255;
  // Where the parts of both Rice codes begin, in bits. Kept in the header: all zeros of the distances, at most 128,
  // from bit 16 on; their parameter from bit 24 on.
  struct Parts {
    std::uint32_t parameter, high_parameter, distances, high_lows, highs;
    __device__ explicit Parts(const PatchedBlock& block) {
      const codec::NewPfdHeader header = codec::newpfd_header(block.header);
      parameter = block.header >> 24;
      high_parameter = codec::newpfd_high_parameter(header.parameter_code);
      distances = block.begin() + header.count * parameter;
      high_lows = distances + header.count + (block.header >> 16 & 0xff);
      highs = high_lows + header.count * high_parameter;
    }
  };
  __device__ static void find_runs(PatchedBlock& block, RunStart* to) {
    const std::uint32_t count = codec::newpfd_header(block.header).count;
    block.header = (block.header & 0xffff) | codec::newpfd_place_parameter(count) << 24;
    std::uint32_t all = 0;
    UnaryReader unary(block.words, Parts(block).distances, block.size);
    for (std::uint32_t i = 0; i < count; ++i) all += unary.take();
    block.header |= min(all, 255u) << 16;
    const Parts parts(block);
    if (parts.distances > 32 * block.size) return;  // patch() will find that, too
    unary = UnaryReader(block.words, parts.distances, block.size);
    UnaryReader high_unary(block.words, parts.highs, block.size);
    std::uint32_t run = 0, before = 0, zeros = 0, high_zeros = 0;  // before: the last place, plus one
    for (std::uint32_t i = 0; i <= count; ++i) {
      const std::uint32_t start = i | (before & 0xff) << 8 | (zeros & 0xff) << 16 | min(high_zeros, kManyZeros) << 24;
      std::uint32_t place = kBlockLength, high = 0;
      if (i < count) {
        high = unary.take();
        place = before + (high << parts.parameter | block.bits(block.begin() + i * parts.parameter, parts.parameter));
      }
      for (; run < kRuns && run * kRunLength <= place; ++run) to[run] = start;
      before = place + 1;
      zeros += high;
      high_zeros += high_unary.take();
    }
  }
  struct Chain {
    PatchedBlock block{};
    std::uint32_t next = 0, place = kBlockLength;
    UnaryReader unary, high_unary;
    Chain() = default;
    // `end`: no exception from there on is asked for.
    __device__ Chain(const PatchedBlock& its_block, RunStart start, std::uint32_t end)
        : block(its_block), next(start & 0xff) {
      if (next == count()) return;
      const Parts parts(block);
      unary = UnaryReader(block.words, parts.distances + next + (start >> 16 & 0xff), block.size);
      place = (start >> 8 & 0xff) - 1;
      read();
      if (place >= end) return;
      const std::uint32_t zeros = start >> 24, skipped = zeros == kManyZeros ? 0 : next + zeros;
      high_unary = UnaryReader(block.words, parts.highs + skipped, block.size);
      if (zeros == kManyZeros) high_unary.skip(next);
    }
    __device__ std::uint32_t count() const { return codec::newpfd_header(block.header).count; }
    __device__ void read() {
      const std::uint32_t parameter = block.header >> 24;
      if (next < count())
        place += 1 + (unary.take() << parameter | block.bits(block.begin() + next * parameter, parameter));
      else
        place = kBlockLength;
    }
    __device__ void advance() {
      ++next;
      read();
    }
    __device__ std::uint32_t value() {
      const Parts parts(block);
      const std::uint32_t low = block.bits(parts.high_lows + next * parts.high_parameter, parts.high_parameter);
      return ((high_unary.take() << parts.high_parameter | low) + 1) << block.width();
    }
    __device__ static std::uint32_t patched(std::uint32_t slot, std::uint32_t value) { return slot + value; }
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
  // The number of exceptions before the run | the place of the next one << 8; kBlockLength: none.
  using RunStart = std::uint16_t;
  __device__ static void find_runs(PatchedBlock& block, RunStart* to) {
    Chain chain(block, static_cast<RunStart>(codec::pfd_header(block.header).first << 8), 0);
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      while (chain.place < run * kRunLength) chain.advance();
      to[run] = static_cast<RunStart>(chain.next | min(chain.place, kBlockLength) << 8);
    }
  }
  struct Chain {
    PatchedBlock block{};
    std::uint32_t next = 0, place = kBlockLength;
    Chain() = default;
    __device__ Chain(const PatchedBlock& its_block, RunStart start, std::uint32_t)
        : block(its_block), next(start & 0xff) {
      if (next < codec::pfd_header(block.header).count) place = start >> 8;
    }
    __device__ void advance() {
      const std::uint32_t gap = block.width() != 0 ? codec::vertical_number(block.words, place, block.width()) : 0;
      place = ++next < codec::pfd_header(block.header).count ? place + gap + 1 : kBlockLength;
    }
    __device__ std::uint32_t value() const {
      const std::uint32_t width = codec::pfd_header(block.header).value_width;
      return block.bits(block.begin() + next * width, width);
    }
    __device__ static std::uint32_t patched(std::uint32_t, std::uint32_t value) { return value; }
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
  __device__ static bool has_exceptions(const Place& place) { return 4 * (place.header % 64) != place.words; }
  __device__ static PatchedBlock block_of(StreamWords stream, const Place& place) {
    return {stream.words + place.word, place.words, place.header};
  }
  using RunStart = typename Format::RunStart;
  using Chain = typename Format::Chain;
  __device__ static void find_runs(StreamWords stream, Place& place, RunStart* to) {
    for (std::uint32_t run = 0; run < kRuns; ++run) to[run] = 0;
    if (!has_exceptions(place)) return;
    PatchedBlock block = block_of(stream, place);
    Format::find_runs(block, to);
    place.header = block.header;
  }
  // The exceptions at `first` and behind, up to and without `end`, a place in the same run or its end.
  __device__ static Chain chain_of(StreamWords stream, const Place& place, std::uint32_t first, std::uint32_t end,
                                   RunStart start) {
    if (!has_exceptions(place)) return Chain();
    Chain chain(block_of(stream, place), start, end);
    while (chain.place < first) {
      chain.value();
      chain.advance();
    }
    return chain;
  }
  __device__ static std::uint32_t one(StreamWords stream, const Place& place, std::uint32_t index, RunStart start) {
    const std::uint32_t slot = codec::vertical_number(stream.words + place.word, index, place.header % 64);
    Chain chain = chain_of(stream, place, index, index + 1, start);
    return chain.place == index ? Chain::patched(slot, chain.value()) : slot;
  }
  struct Reader {
    RowReader<false> rows;
    Chain chain;
    std::uint32_t index;
    __device__ Reader(StreamWords stream, const Place& place, std::uint32_t first, RunStart start)
        : rows(stream.words + place.word, place.header % 64, first),
          chain(chain_of(stream, place, first, (first / kRunLength + 1) * kRunLength, start)),
          index(first) {}
    // Lanes of a warp patch their exceptions among four numbers at the same time, as many as one lane has at most. One
    // number after the other, a lane with an exception would let all others wait at most numbers.
    __device__ Four next() {
      Four numbers = rows.next();
      for (; chain.place < index + 4; chain.advance()) {
        const std::uint32_t value = chain.value(), at = chain.place - index;
#pragma unroll
        for (std::uint32_t k = 0; k < 4; ++k)
          if (at == k) numbers.at[k] = Chain::patched(numbers.at[k], value);
      }
      index += 4;
      return numbers;
    }
  };
};

}  // namespace frond::device_codec
