#pragma once
// Finds blocks of different sizes by an array of endpoints (Mallia 2019 §3, Figure 1): u32 a block at the stream's end,
// in units of the codec's choice. Block j ends at endpoint j; block 0 begins at 0. (The paper's array begins with that
// zero; ours does not store it.) Streams end on 16 bytes, so endpoints are aligned to 4, and the payload begins with
// the stream.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "common/codec/distances.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

FROND_HOST_DEVICE constexpr std::uint32_t blocks_of(std::uint32_t count, std::uint32_t length) {
  return count / length + (count % length != 0);
}

// Bytes begin .. end - 1 of the stream.
struct Extent {
  std::size_t begin, end;
};
// The block's bytes; none if the endpoints are corrupt. reserved: bytes between payload and endpoints.
// REQUIRES: block < blocks.
inline std::optional<Extent> extent_of(ByteView stream, std::uint32_t blocks, std::uint32_t block, unsigned unit,
                                       std::size_t reserved = 0) {
  const std::size_t index = reserved + std::size_t{blocks} * 4;
  if (index > stream.size()) [[unlikely]]
    return std::nullopt;
  const std::byte* ends = stream.data() + stream.size() - std::size_t{blocks} * 4;
  const std::uint64_t end = load_le<std::uint32_t>(ends + std::size_t{block} * 4) * std::uint64_t{unit};
  const std::uint64_t begin =
      block ? load_le<std::uint32_t>(ends + (std::size_t{block} - 1) * 4) * std::uint64_t{unit} : 0;
  if (begin > end || end > stream.size() - index) [[unlikely]]
    return std::nullopt;
  return Extent{begin, end};
}

// Cuts numbers into blocks of kLength, of which the last may be shorter, and calls append(distances) for each, which
// appends to `out`. Returns the blocks' endpoints.
// REQUIRES: at least one number; out.size() is a multiple of 16.
template <std::uint32_t kLength, class Append>
std::vector<std::uint32_t> append_blocks(std::span<const std::uint32_t> numbers, Numbers kind, unsigned unit,
                                         ByteBuffer& out, const Append& append) {
  FROND_CHECK(!numbers.empty() && out.size() % 16 == 0);
  const std::size_t start = out.size();
  std::vector<std::uint32_t> ends;
  DocId before = kNoDoc;
  for (std::size_t first = 0; first < numbers.size(); first += kLength) {
    const auto block = numbers.subspan(first, std::min<std::size_t>(kLength, numbers.size() - first));
    std::array<std::uint32_t, kLength> distances;
    to_distances(block, kind, before, distances.data());
    before = block.back();
    append(std::span<const std::uint32_t>(distances).first(block.size()));
    ends.push_back(static_cast<std::uint32_t>((out.size() - start) / unit));
  }
  return ends;
}

// Ends a stream: appends zeros to align, then `before`, then the endpoints.
// REQUIRES: the stream begins on 16 bytes of `out`.
inline void append_endpoints(std::span<const std::uint32_t> ends, ByteView before, ByteBuffer& out) {
  const std::size_t index = before.size() + ends.size() * 4;
  out.resize((out.size() + index + 15) / 16 * 16 - index);
  ByteWriter writer(out);
  writer.put_bytes(before);
  writer.put_bytes(std::as_bytes(ends));
}

// The bytes from `begin` on, for a decoder that reads up to kMaxBytes of them (or the number that it computes) and
// kReadSlack more. They are the stream's own, or near its end a copy that is followed by zeros.
template <std::size_t kMaxBytes>
class BytesOfBlock {
 public:
  BytesOfBlock(ByteView stream, std::size_t begin) : BytesOfBlock(stream, begin, [] { return kMaxBytes; }) {}
  // needed() returns how many bytes are read, at most kMaxBytes. It is called near the stream's end only.
  template <class Needed>
  BytesOfBlock(ByteView stream, std::size_t begin, const Needed& needed) : data_(stream.data() + begin) {
    const std::size_t left = stream.size() - begin;
    if (left >= kMaxBytes || left >= needed()) [[likely]]
      return;
    std::copy_n(data_, left, copy_);
    std::fill(copy_ + left, copy_ + sizeof copy_, std::byte{0});
    data_ = copy_;
  }
  BytesOfBlock(const BytesOfBlock&) = delete;
  BytesOfBlock& operator=(const BytesOfBlock&) = delete;
  const std::byte* data() const { return data_; }

 private:
  const std::byte* data_;
  std::byte copy_[kMaxBytes + kReadSlack];
};

}  // namespace frond::codec
