#pragma once
// What one thread reads a part of a block with, beside other threads that read other blocks: every codec has a Reader
// over these. A Reader begins at a number that is a multiple of 4 and gives four at a time, up to the end of the run of
// 16 that it begins in. A warp decodes whole blocks faster; a thread decodes what it looks a document up in.
//
// Where a run begins may take long to find: by all unary codes or exceptions before it. Such a codec has a type
// RunStart, an unsigned integer, and find_runs(), by which one thread computes it for the 8 runs of a full block when
// the block is admitted. Its Readers then begin at the start of their run, and one() reads a single number.
//
// Shared memory: none; no warp operations, so lanes may diverge. Streams are checked by whoever decoded the block
// before with unpack(). Words behind the stream read as 0, so that any bytes are survived.
#include "common/device/unpack.cuh"
#include "common/device_codec/block_of_list.cuh"

namespace frond::device_codec {

// A stream as a little-endian bit string. Loads each word once, and up to three ahead. kBounded: words behind the
// stream are not loaded; else the numbers lie within the stream, and its slack is loaded.
template <bool kBounded>
class BasicBitReader {
 public:
  __device__ BasicBitReader(StreamWords stream, std::uint64_t bit)
      : next_(stream.words + bit / 32), shift_(static_cast<std::uint32_t>(bit % 32)) {
    if constexpr (kBounded) end_ = stream.words + stream.size / 4;
    low_ = load();
    high_ = load();
    ahead_ = load();
  }
  // The next 32 bits.
  __device__ std::uint32_t peek() const { return __funnelshift_r(low_, high_, shift_); }
  __device__ void skip(std::uint32_t bits) {  // at most 32
    shift_ += bits;
    if (shift_ < 32) return;
    shift_ -= 32;
    low_ = high_;
    high_ = ahead_;
    ahead_ = load();
  }
  __device__ std::uint32_t take(std::uint32_t width) {  // 0 .. 32
    const std::uint32_t number = peek() & device::mask_of(width);
    skip(width);
    return number;
  }

  // Whether all words left are behind the stream.
  __device__ bool behind() const { return kBounded && next_ >= end_ + 3; }

 private:
  __device__ std::uint32_t load() {
    const std::uint32_t word = !kBounded || next_ < end_ ? __ldg(next_) : 0;
    ++next_;
    return word;
  }
  const std::uint32_t* next_;
  const std::uint32_t* end_ = nullptr;
  std::uint32_t low_ = 0, high_ = 0, ahead_ = 0, shift_;
};

using BitReader = BasicBitReader<true>;

// Unary codes, each some zeros and a one, from bit `bit` of some words on, as a little-endian bit string. Words from
// `end` on read as 0. Loads a word ahead.
class UnaryReader {
 public:
  UnaryReader() = default;
  __device__ UnaryReader(const std::uint32_t* words, std::uint32_t bit, std::uint32_t end)
      : words_(words), next_(bit / 32), end_(end), at_(bit % 32) {
    bits_ = load() & ~0u << at_;
    ahead_ = load();
  }
  // Skips zeros and a one; returns how many zeros. Behind the words' end there are no ones, and any number is returned.
  __device__ std::uint32_t take() {
    std::uint32_t zeros = 0;
    while (bits_ == 0 && next_ < end_ + 3) {
      zeros += 32 - at_;
      at_ = 0;
      bits_ = ahead_;
      ahead_ = load();
    }
    const auto one = static_cast<std::uint32_t>(__ffs(static_cast<int>(bits_)) - 1);
    zeros += one - at_;
    at_ = one + 1;
    bits_ &= bits_ - 1;
    return zeros;
  }
  __device__ void skip(std::uint32_t codes) {
    for (; codes > 0; --codes) take();
  }

 private:
  __device__ std::uint32_t load() {
    const std::uint32_t word = next_ < end_ ? __ldg(words_ + next_) : 0;
    ++next_;
    return word;
  }
  const std::uint32_t* words_ = nullptr;
  std::uint32_t next_ = 0, end_ = 0;
  std::uint32_t bits_ = 0, ahead_ = 0;  // of the word that is read, those not read yet; the next word
  std::uint32_t at_ = 0;                // of the word that is read: the first bit that is not
};

// Numbers of one width in rows of four words (device::unpack_rows). kOn16: the block begins on 16 bytes, else on 4. No
// row behind the last number's is read.
template <bool kOn16>
class RowReader {
 public:
  __device__ RowReader(const std::uint32_t* block, std::uint32_t width, std::uint32_t first)
      : row_(block + std::size_t{first / 4 * width / 32} * 4), width_(width), shift_(first / 4 * width % 32) {}
  __device__ Four next() {
    if (width_ == 0) return Four{};
    if (!loaded_) low_ = load(row_);
    loaded_ = true;
    uint4 high = low_;
    const std::uint32_t behind = shift_ + width_, mask = device::mask_of(width_);
    if (behind > 32) high = load(row_ + 4);
    const Four numbers{{__funnelshift_r(low_.x, high.x, shift_) & mask, __funnelshift_r(low_.y, high.y, shift_) & mask,
                        __funnelshift_r(low_.z, high.z, shift_) & mask,
                        __funnelshift_r(low_.w, high.w, shift_) & mask}};
    shift_ = behind % 32;
    if (behind < 32) return numbers;
    row_ += 4;
    low_ = high;
    loaded_ = behind > 32;
    return numbers;
  }

 private:
  __device__ static uint4 load(const std::uint32_t* row) {
    if constexpr (kOn16) return __ldg(reinterpret_cast<const uint4*>(row));
    return make_uint4(__ldg(row), __ldg(row + 1), __ldg(row + 2), __ldg(row + 3));
  }
  const std::uint32_t* row_;
  std::uint32_t width_, shift_;
  uint4 low_{};
  bool loaded_ = false;
};

}  // namespace frond::device_codec
