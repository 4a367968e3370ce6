#include "common/codec/patched/pfordelta.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "common/codec/bits/vertical.h"
#include "common/codec/distances.h"
#include "common/codec/patched/exception_array.h"

namespace frond::codec {
namespace {

constexpr CodecInfo info_of(std::string_view name, std::uint8_t id) {
  return {.name = name, .id = id, .family = "patched", .source = "Ding 2009 §6.2"};
}
constexpr CodecInfo kInfos[kPForDeltaLevels] = {info_of("pfordelta0", 11), info_of("pfordelta1", 12),
                                                info_of("pfordelta2", 13), info_of("pfordelta3", 14),
                                                info_of("pfordelta4", 15)};

// What one exception fewer is worth, in bits, since patching takes time.
constexpr std::uint64_t kBitsForOneLess = 2;

// Both arrays of exceptions with slots of one width, and the cost of slots and exceptions.
struct Coded {
  unsigned width;
  Exceptions exceptions;
  ByteBuffer arrays;
  std::uint64_t bits;

  Coded(std::span<const std::uint32_t> distances, unsigned its_width, unsigned level)
      : width(its_width), exceptions(exceptions_of(distances, its_width)) {
    if (!exceptions.places.empty()) {
      encode_array(exceptions.places, level, arrays);
      encode_array(exceptions.highs, level, arrays);
    }
    bits = arrays.size() * 8 + distances.size() * width + exceptions.places.size() * kBitsForOneLess;
  }
};

// The width that costs least: starts at the estimate, and moves up and down while that is cheaper.
Coded best_coded(std::span<const std::uint32_t> distances, unsigned level) {
  const WidthGuess guess = guess_width(distances, level);
  Coded best(distances, guess.best, level);
  while (best.width < guess.max) {
    Coded wider(distances, best.width + 1, level);
    if (wider.bits > best.bits) break;
    best = std::move(wider);
  }
  while (best.width > guess.min) {
    Coded narrower(distances, best.width - 1, level);
    if (narrower.bits >= best.bits) break;
    best = std::move(narrower);
  }
  return best;
}

class PForDelta final : public ListCodec {
 public:
  explicit constexpr PForDelta(unsigned level) : level_(level) {}
  const CodecInfo& info() const override { return kInfos[level_]; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    FROND_CHECK(!numbers.empty() && out.size() % 16 == 0);
    std::vector<std::uint32_t> distances(numbers.size());
    to_distances(numbers, kind, kNoDoc, distances.data());
    const auto full = std::span(distances).first(numbers.size() / kBlockLength * kBlockLength);
    const auto last = std::span(distances).subspan(full.size());
    Coded best = best_coded(full, level_);
    for (std::size_t first = 0; first < full.size(); first += kBlockLength)
      simd_bp_pack(full.subspan(first).first<kBlockLength>(), best.width, out);
    ByteWriter writer(out);
    writer.put_bytes(best.arrays);
    std::vector<std::uint8_t>& counts = best.exceptions.counts;
    if (!last.empty()) counts.push_back(encode_last_block(last, out));
    std::vector<std::uint32_t> checkpoints;
    std::uint32_t before = 0;
    for (std::size_t block = 0; block < counts.size(); before += counts[block++])
      if (block > 0 && block % kGroupBlocks == 0) checkpoints.push_back(before);
    const std::size_t index = counts.size() + checkpoints.size() * 4 + 4;
    out.resize((out.size() + index + 15) / 16 * 16 - index);
    writer.put_bytes(std::as_bytes(std::span(counts)));
    writer.put_bytes(std::as_bytes(std::span(checkpoints)));
    writer.put(static_cast<std::uint32_t>(best.width | best.exceptions.places.size() << 6));
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    const std::uint32_t blocks = blocks_of(count), full = count / kBlockLength;
    FROND_CHECK(block < blocks);
    const std::size_t index = pfordelta_index_bytes(count);
    if (stream.size() < index) [[unlikely]]
      return corrupt_block("no room for the index", block);
    const auto trailer = load_le<std::uint32_t>(stream.data() + stream.size() - 4);
    const std::uint32_t width = trailer % 64, all = trailer / 64;
    const ByteView payload = stream.first(stream.size() - index);
    const std::uint64_t slots = 16 * std::uint64_t{width};
    if (width > 32 || slots * full > payload.size()) [[unlikely]]
      return corrupt_block("a wrong width", block);
    const ByteView arrays = payload.subspan(slots * full);
    const std::byte* counts = stream.data() + payload.size();
    const auto own = static_cast<std::uint8_t>(counts[block]);
    if (block == full) [[unlikely]]
      return decode_last({arrays, all, own, count}, kind, before, out);
    const std::byte* at = payload.data() + slots * block;
    if (own == 0 && kind == Numbers::kDocIds && width <= 24) {  // no exceptions: unpack and add up at once
      unpack_table().docids[width](at, before, out.data());
      if (before != kNoDoc && out[kBlockLength - 1] <= before) [[unlikely]]
        return corrupt_block("docIDs that do not ascend", block);
      return {};
    }
    unpack_table().frequencies[width](at, 0, out.data());
    unsigned bound = width;
    if (own != 0) {
      const std::uint64_t first = block_begin(counts, counts + blocks, block);
      const std::uint64_t highs = first + own > all ? kWrongExceptions
                                                    : patch_exceptions(arrays, all, level_, width,
                                                                       static_cast<std::uint32_t>(first), own, 0, out);
      if (highs == kWrongExceptions) [[unlikely]]
        return corrupt_block("wrong exceptions", block);
      bound = std::min(width + static_cast<unsigned>(std::bit_width(highs)) + 2, 32u);
    }
    if (!numbers_from_differences(out, kind, before, bound)) [[unlikely]]
      return corrupt_block("docIDs or frequencies out of range", block);
    return {};
  }

 private:
  // Decodes a last block that is not full; both arrays of exceptions lie before it.
  struct LastBlock {
    ByteView arrays;
    std::uint32_t exceptions, parameter, count;
  };
  Result<void> decode_last(const LastBlock& last, Numbers kind, DocId before,
                           std::span<std::uint32_t, kBlockLength> out) const {
    const std::uint32_t block = last.count / kBlockLength;
    std::uint64_t begin = 0;
    for (int array = 0; array < 2 && last.exceptions != 0; ++array) {
      const std::uint64_t bytes = array_bytes(last.arrays.subspan(begin), last.exceptions, level_);
      if (bytes == kNoArray) return corrupt_block("wrong exceptions", block);
      begin += bytes;
    }
    if (!decode_last_block(last.arrays, begin, last.parameter, kind, before, out, last.count % kBlockLength))
      return corrupt_block("a wrong Rice code", block);
    return {};
  }

  unsigned level_;
};

const PForDelta kCodecs[kPForDeltaLevels] = {PForDelta(0), PForDelta(1), PForDelta(2), PForDelta(3), PForDelta(4)};

}  // namespace

const ListCodec& pfordelta(unsigned level) {
  FROND_CHECK(level < kPForDeltaLevels);
  return kCodecs[level];
}

}  // namespace frond::codec
