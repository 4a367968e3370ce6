#pragma once
// Seam: the postings of all partitions, where an inverter of texts has kept them in place of writing runs
// (docs/adr/0039-postings-of-texts-stay-on-the-device.md). They may also be had as lists, coded where they are
// (docs/adr/0045-lists-are-coded-on-the-device.md).
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/runs/encoded_piece.h"

namespace frond::indexer::runs {

// The postings of terms that follow each other in byte order: all postings of each.
struct PostingSlice {
  std::size_t first = 0, end = 0;  // terms, by their places in that order
  // Of documents, from the first one that was inverted. In a term they do not descend; equal ones are parts of one
  // document.
  std::vector<std::uint32_t> numbers;
  std::vector<Frequency> frequencies;
};

// What lists are coded with.
struct ListEncoding {
  std::vector<std::span<const std::uint32_t>> lengths;  // of documents, by partition
  double b = 0, average_length = 0;                     // of deficits
};

// What a slice of lists has at most, or one term. A device codes many postings as fast as few; the host holds each
// list.
struct SliceLimits {
  std::size_t postings = 0, lists = 0;  // of all partitions
};

// The lists of the terms of a slice.
struct EncodedSlice {
  std::size_t first = 0, end = 0;        // terms
  std::span<const EncodedPiece> pieces;  // by partition, then by term
  ByteView blobs;                        // with codec::kReadSlack bytes behind them
  std::shared_ptr<const void> memory;    // of both
  ByteView blob(const EncodedPiece& piece) const { return blobs.subspan(piece.begin, piece.bytes); }
};

class PostingSlices {
 public:
  virtual ~PostingSlices() = default;
  // Gives all slices, in order, to `take`. A slice ends with the term that reaches so many postings. One thread, once.
  // kDevice: the postings are lost; and the errors of `take`.
  virtual Result<void> read(std::size_t slice_postings, const std::function<Result<void>(PostingSlice)>& take) = 0;

  // In place of read(): gives the lists of all slices, packed with codec simd-bp128, and then, by partition, the
  // documents' term digests (partition/terms/term_digests.h).
  virtual bool codes(const ListEncoding& /*coding*/, const SliceLimits& /*limits*/) const { return false; }
  virtual Result<std::vector<std::vector<std::uint64_t>>> code(
      const ListEncoding& coding, const SliceLimits& limits,
      const std::function<Result<void>(std::shared_ptr<const EncodedSlice>)>& take);

  // Any thread, also during read() and code().
  virtual std::uint64_t first_document() const = 0;
  virtual std::uint64_t postings() const = 0;
  virtual std::uint64_t memory_bytes() const = 0;  // of the host
  // Of a term. Quick for one that follows the one before.
  virtual std::string_view term(std::size_t place) const = 0;  // as long as this lives
  virtual std::size_t postings_of(std::size_t place) const = 0;
};

inline Result<std::vector<std::vector<std::uint64_t>>> PostingSlices::code(
    const ListEncoding& /*coding*/, const SliceLimits& /*limits*/,
    const std::function<Result<void>(std::shared_ptr<const EncodedSlice>)>& /*take*/) {
  return Error(Code::kInvalid, "these postings are not coded");
}

}  // namespace frond::indexer::runs
