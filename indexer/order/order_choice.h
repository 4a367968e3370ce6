#pragma once
// --order auto: whether graph bisection is worth its time, and whether it made lists smaller. Both depend on the
// documents and the options alone, never on the machine: the same input gives the same index everywhere.
#include <cstdint>
#include <span>

#include "common/codec/codec_choice.h"
#include "indexer/order/forward_index.h"

namespace frond::indexer::order {

// What bisecting and dealing take is at most so much of what the rest of the build takes.
inline constexpr double kMaxOrderShare = 0.75;
// What bisection must save of the docIDs' bits: documents that are assigned anew compress a little less.
inline constexpr double kMinSaved = 0.01;
// The threads that the memory for bisection is reckoned for, and the most that auto uses.
inline constexpr std::uint32_t kAutoThreads = 64;

// Processor seconds of one core of 2026: measured on articles and passages
// (docs/measurements/codecs.md).
struct OrderCost {
  double order = 0;  // bisecting, and dealing runs and documents
  double rest = 0;   // everything else of the build
  bool worthwhile() const { return order <= kMaxOrderShare * rest; }
};
// postings: of the forward index; bytes: of the input, decompressed; on_gpu: a GPU bisects, beside whose time that of
// the rest counts alone.
OrderCost order_cost(std::uint32_t documents, std::uint64_t postings, std::uint64_t bytes, bool on_gpu = false);

// Whether docIDs are packed by codecs of the family of binary packing, in which one large gap makes its block wide.
bool packs_blocks(const codec::CodecChoice& codecs);

// About the bits of the docIDs of a sample of the terms, if order[place] = document is assigned to so many partitions.
struct DocIdBits {
  double packed = 0;  // whole blocks of 128, each as wide as its largest gap: binary packing
  double coded = 0;   // each gap as long as it needs: codecs with exceptions, Rice
};
DocIdBits docid_bits(const ForwardIndex& index, std::span<const std::uint32_t> order, std::uint32_t partitions);

}  // namespace frond::indexer::order
