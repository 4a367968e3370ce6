#pragma once
// Builds list blobs from postings. One thread; borrows its constructor's arguments.
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/codec/codec_choice.h"
#include "common/scoring/bm25.h"

namespace frond::postings {

// The deficits of usual postings: small frequencies in documents that are not very long. A deficit takes three
// divisions, and each posting has one.

// Any thread. 512 KiB, filled as they are asked for.
class DeficitTable {
 public:
  DeficitTable(double b, double average_length)
      : b_(b),
        average_length_(average_length),
        table_(std::make_unique<std::atomic<std::uint32_t>[]>(kFrequencies * kLengths)) {}
  // The bits of scoring::deficit(). Deficits are not negative, so their bits have the same order.
  std::uint32_t bits_of(Frequency frequency, std::uint32_t length) const {
    if (frequency > kFrequencies || length >= kLengths) [[unlikely]]
      return compute(frequency, length);
    std::atomic<std::uint32_t>& known = table_[(frequency - 1) * kLengths + length];
    const std::uint32_t bits = known.load(std::memory_order_relaxed);
    if (bits != 0) [[likely]]
      return bits;
    const std::uint32_t computed = compute(frequency, length);  // by all threads alike
    known.store(computed, std::memory_order_relaxed);
    return computed;
  }

 private:
  std::uint32_t compute(Frequency frequency, std::uint32_t length) const {
    return std::bit_cast<std::uint32_t>(scoring::deficit(b_, average_length_, frequency, length));
  }
  static constexpr std::size_t kFrequencies = 8, kLengths = std::size_t{1} << 14;
  double b_, average_length_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> table_;  // by frequency, then length; 0: not known
};

class ListBuilder {
 public:
  // Packs each blob's docIDs and frequencies with those of `codecs` that make them smallest. lengths[docID]: the
  // document's length in tokens. b, average_length: for the deficits of blocks and best postings. table: of the same
  // two; null: none. It pays off if many lists are built.
  ListBuilder(codec::CodecChoice codecs, std::span<const std::uint32_t> lengths, double b, double average_length,
              const DeficitTable* table = nullptr);

  // Returns a list's segments, each a blob of at most kSegmentPostings postings.
  // REQUIRES: at least one posting; docids ascend strictly and are below lengths.size(); as many frequencies, each at
  // least 1.
  std::vector<ByteBuffer> build(std::span<const DocId> docids, std::span<const Frequency> frequencies) const;

  // Appends the blob of one segment to `out`.
  // REQUIRES: as build(), and at most kSegmentPostings postings.
  void append(std::span<const DocId> docids, std::span<const Frequency> frequencies, ByteBuffer& out) const;

 private:
  // Bits of deficits.
  std::uint32_t deficit_of(DocId docid, Frequency frequency) const {
    if (table_ != nullptr) return table_->bits_of(frequency, lengths_[docid]);
    return std::bit_cast<std::uint32_t>(scoring::deficit(b_, average_length_, frequency, lengths_[docid]));
  }
  std::vector<std::uint32_t> deficits_of(std::span<const DocId> docids, std::span<const Frequency> frequencies) const;
  ByteBuffer build_long(std::span<const DocId> docids, std::span<const Frequency> frequencies) const;

  codec::CodecChoice codecs_;
  std::span<const std::uint32_t> lengths_;
  double b_;
  double average_length_;
  const DeficitTable* table_;
};

}  // namespace frond::postings
