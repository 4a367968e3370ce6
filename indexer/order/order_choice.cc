#include "indexer/order/order_choice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <vector>

namespace frond::indexer::order {
namespace {

// Nanoseconds: of bisection a posting and level; of reading and dealing runs a posting; of dealing documents, and of
// the rest of a build, a byte.
constexpr double kLevel = 22, kDealt = 140, kDealtByte = 4.4, kBuiltByte = 55;
constexpr std::uint32_t kLastRange = 16;  // ranges that bisection leaves as they are
constexpr std::uint32_t kSampled = 16;    // one term of so many
constexpr std::uint32_t kBlock = 128;
constexpr std::string_view kBinaryPacking = "binary packing";  // a codec::CodecInfo::family

// One sampled term in one partition.
struct List {
  std::uint32_t next = 0;  // the docID behind the last one
  // Of the block so far.
  std::uint32_t in_block = 0;
  int width = 0;
  double coded = 0;
};

}  // namespace

OrderCost order_cost(std::uint32_t documents, std::uint64_t postings, std::uint64_t bytes, bool on_gpu) {
  const double levels = std::log2(std::max(2.0, static_cast<double>(documents) / kLastRange));
  const auto all = static_cast<double>(postings);
  const auto text = static_cast<double>(bytes);
  return {1e-9 * (all * (kDealt + (on_gpu ? 0 : kLevel * levels)) + kDealtByte * text), 1e-9 * kBuiltByte * text};
}

bool packs_blocks(const codec::CodecChoice& codecs) {
  return std::ranges::all_of(codecs.docids,
                             [](const codec::ListCodec* codec) { return codec->info().family == kBinaryPacking; });
}

DocIdBits docid_bits(const ForwardIndex& index, std::span<const std::uint32_t> order, std::uint32_t partitions) {
  std::vector<List> lists((index.terms / kSampled + 1) * std::size_t{partitions});
  DocIdBits bits;
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    const std::uint32_t partition = place % partitions, docid = place / partitions;
    for (const std::uint32_t term : index.of(order[place])) {
      if (term % kSampled != 0) continue;
      List& list = lists[std::size_t{term / kSampled} * partitions + partition];
      const std::uint32_t gap = docid - list.next;  // docIDs between the two
      list.next = docid + 1;
      list.width = std::max(list.width, static_cast<int>(std::bit_width(gap)));
      list.coded += std::log2(static_cast<double>(gap) + 1);
      if (++list.in_block < kBlock) continue;
      bits.packed += static_cast<double>(list.width) * kBlock;
      bits.coded += list.coded;
      list = List{.next = list.next};
    }
  }
  for (const List& list : lists) {  // the last blocks, which codecs do not pack
    bits.packed += list.coded;
    bits.coded += list.coded;
  }
  return bits;
}

}  // namespace frond::indexer::order
