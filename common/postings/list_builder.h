#pragma once
// Builds list blobs from postings. One thread; borrows its constructor's arguments.
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/codec/codec_choice.h"
#include "common/postings/deficit_table.h"
#include "common/scoring/bm25.h"

namespace frond::postings {

class ListBuilder {
 public:
  // Packs each blob's docIDs and frequencies with those of `codecs` that make them smallest. lengths[docID]: the
  // document's length in tokens. b, average_length: for the deficits of blocks and best postings. table: of the same
  // two; null: none. It pays off if many lists are built.
  ListBuilder(codec::CodecChoice codecs, std::span<const std::uint32_t> lengths, double b, double average_length,
              const DeficitTable* table = nullptr);

  // Returns a list's segments, each a blob of at most kSegmentPostings postings. There is at least one posting; docids
  // ascend strictly and are below lengths.size(); there are as many frequencies, each at least 1.
  std::vector<ByteBuffer> build(std::span<const DocId> docids, std::span<const Frequency> frequencies) const;

  // Appends the blob of at most kSegmentPostings postings to `out`.
  void append(std::span<const DocId> docids, std::span<const Frequency> frequencies, ByteBuffer& out) const;

 private:
  // Bits of deficits (deficit_table.h).
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
