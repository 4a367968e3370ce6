#include "common/codec/rice/rice_codec.h"

#include <algorithm>
#include <array>
#include <vector>

#include "common/codec/bits/rice.h"
#include "common/codec/bits/unary.h"
#include "common/codec/bits/vertical.h"
#include "common/codec/distances.h"
#include "common/codec/endpoints.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo{.name = "rice", .id = 10, .family = "rice", .source = "Ding 2009 §6.1"};

using Block = std::array<std::uint32_t, kBlockLength>;
using Out = std::span<std::uint32_t, kBlockLength>;

// The parts of a full block.
struct Place {
  const std::byte* low;       // 16 * parameter bytes
  std::uint64_t unary_bit;    // from the stream's begin
  std::uint32_t unary_count;  // bits
  std::uint32_t parameter;
};

// The parameter with the fewest bits among those whose sum of q fits in a byte.
std::uint32_t parameter_of(const Block& distances, std::uint32_t& sum) {
  for (std::uint32_t parameter = choose_rice(distances).parameter;; ++parameter) {
    std::uint64_t all = 0;
    for (const std::uint32_t distance : distances) all += distance >> parameter;
    sum = static_cast<std::uint32_t>(all);
    if (all <= kRiceMaxSum) return parameter;
  }
}

class Rice final : public ListCodec {
 public:
  constexpr Rice() = default;
  const CodecInfo& info() const override { return kInfo; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    FROND_CHECK(!numbers.empty() && out.size() % 16 == 0);
    const std::size_t start = out.size();
    std::vector<std::uint8_t> parameters, sums;
    std::vector<std::uint32_t> checkpoints;
    DocId before = kNoDoc;
    constexpr std::size_t kGroup = std::size_t{kGroupBlocks} * kBlockLength;
    for (std::size_t first = 0; first < numbers.size(); first += kGroup) {
      if (first > 0) checkpoints.push_back(static_cast<std::uint32_t>((out.size() - start) / 16));
      const auto group = numbers.subspan(first, std::min(kGroup, numbers.size() - first));
      encode_group(group, kind, before, parameters, sums, out);
      before = group.back();
    }
    parameters.insert(parameters.end(), sums.begin(), sums.end());
    append_endpoints(checkpoints, std::as_bytes(std::span(parameters)), out);
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      Out out) const override {
    const std::uint32_t blocks = blocks_of(count), full = count / kBlockLength;
    FROND_CHECK(block < blocks);
    const std::size_t index = rice_index_bytes(count);
    if (stream.size() < index) [[unlikely]]
      return corrupt_block("no room for the index", block);
    const ByteView payload = stream.first(stream.size() - index);
    const std::byte* parameters = stream.data() + payload.size();
    const std::byte* sums = parameters + blocks;
    const std::uint32_t group = block / kGroupBlocks * kGroupBlocks, place = block - group;
    const std::uint32_t fulls = std::min(full - group, kGroupBlocks);
    const std::uint64_t begin = group_begin(sums + full, block) * 16;
    const std::uint64_t unary = (begin + 16 * std::uint64_t{sum_of_bytes(parameters + group, fulls)}) * 8 +
                                std::uint64_t{place} * kBlockLength + sum_of_bytes(sums + group, place);
    const std::uint32_t parameter = static_cast<std::uint8_t>(parameters[block]);
    if (block == full) [[unlikely]] {
      if (!decode_last_block(payload, (unary + 7) / 8, parameter, kind, before, out, count % kBlockLength))
        return corrupt_block("a wrong Rice code", block);
      return {};
    }
    const std::uint64_t low = begin + 16 * std::uint64_t{sum_of_bytes(parameters + group, place)};
    const std::uint32_t bits = kBlockLength + static_cast<std::uint8_t>(sums[block]);
    if (parameter > 31 || low + 16 * parameter > payload.size() || unary + bits > payload.size() * std::uint64_t{8})
        [[unlikely]]
      return corrupt_block("a wrong parameter or offset", block);
    if (!decode_full(stream.data(), {stream.data() + low, unary, bits, parameter}, kind, before, out)) [[unlikely]]
      return corrupt_block("no code of 128 numbers", block);
    return {};
  }

 private:
  static void encode_group(std::span<const std::uint32_t> numbers, Numbers kind, DocId before,
                           std::vector<std::uint8_t>& parameters, std::vector<std::uint8_t>& sums, ByteBuffer& out) {
    ByteBuffer unary;
    BitWriter unary_bits(unary);
    ByteBuffer last;
    for (std::size_t first = 0; first < numbers.size(); first += kBlockLength) {
      const auto some = numbers.subspan(first, std::min<std::size_t>(kBlockLength, numbers.size() - first));
      Block distances;
      to_distances(some, kind, before, distances.data());
      before = some.back();
      if (some.size() < kBlockLength) {
        parameters.push_back(encode_last_block(std::span(distances).first(some.size()), last));
        break;
      }
      std::uint32_t sum;
      const std::uint32_t parameter = parameter_of(distances, sum);
      parameters.push_back(static_cast<std::uint8_t>(parameter));
      sums.push_back(static_cast<std::uint8_t>(sum));
      simd_bp_pack(distances, parameter, out);
      for (const std::uint32_t distance : distances) {
        unary_bits.put_zeros(distance >> parameter);
        unary_bits.put(1, 1);
      }
    }
    ByteWriter writer(out);
    writer.put_bytes(unary);
    writer.put_bytes(last);
    writer.align(16);
  }

  // The low parts are unpacked (and added up, for docIDs) as in simd-bp128; then the unary parts are added.
  static bool decode_full(const std::byte* stream, const Place& at, Numbers kind, DocId before, Out out) {
    alignas(64) std::uint16_t room[8 + kOnesRoom];
    std::uint16_t* ones = room + 8;
    const auto skipped = static_cast<std::uint16_t>(at.unary_bit % 8);
    if (find_ones()(stream + at.unary_bit / 8, skipped, at.unary_count, ones) != kBlockLength) return false;
    const std::uint32_t parameter = at.parameter;
    if (kind == Numbers::kDocIds) {
      unpack_table().docids[parameter](at.low, before, out.data());
      add_unary_sums(std::span<const std::uint16_t, kBlockLength>(ones, kBlockLength), skipped, parameter, out);
      // Up to this parameter the distances add up to less than 2^32: if any sum wraps around, the last one shows it.
      return parameter <= 23 ? before == kNoDoc || out[kBlockLength - 1] > before : ascend(before, out);
    }
    unpack_table().frequencies[parameter](at.low, 0, out.data());
    add_unary_parts(ones, skipped, parameter, out);
    return parameter <= 23 || std::find(out.begin(), out.end(), 0u) == out.end();
  }
};

const Rice kRice;

}  // namespace

const ListCodec& rice() { return kRice; }

}  // namespace frond::codec
