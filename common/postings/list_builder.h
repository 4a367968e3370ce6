#pragma once
// Postings to list blobs. One thread a builder; what it needs is borrowed for its life.
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/codec/codec_choice.h"
#include "common/scoring/bm25.h"

namespace frond::postings {

class ListBuilder {
 public:
  // Each blob's docIDs and frequencies are packed with those of `codecs` that make them smallest. lengths[docID] is the
  // document's length in tokens; b and average_length are what the deficits of blocks and best postings are computed
  // with.
  ListBuilder(codec::CodecChoice codecs, std::span<const std::uint32_t> lengths, double b, double average_length);

  // One list to its segments, each a blob of at most kSegmentPostings postings. docids ascend strictly and are below
  // lengths.size(); as many frequencies, each at least 1; at least one posting.
  std::vector<ByteBuffer> build(std::span<const DocId> docids, std::span<const Frequency> frequencies) const;

 private:
  std::vector<float> deficits_of(std::span<const DocId> docids, std::span<const Frequency> frequencies) const;
  ByteBuffer build_long(std::span<const DocId> docids, std::span<const Frequency> frequencies) const;

  codec::CodecChoice codecs_;
  std::span<const std::uint32_t> lengths_;
  double b_;
  double average_length_;
};

}  // namespace frond::postings
