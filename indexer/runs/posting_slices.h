#pragma once
// Seam: the postings of all partitions, where an inverter of texts has kept them in place of writing runs
// (docs/adr/0039-postings-of-texts-stay-on-the-device.md). PostingSource (posting_source.h) is the same for one
// partition.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"

namespace frond::indexer::runs {

// The postings of terms that follow each other in byte order: all postings of each.
struct PostingSlice {
  std::size_t first = 0, end = 0;  // terms, by their places in that order
  // Of documents, from the first one that was inverted. In a term they do not descend; equal ones are parts of one
  // document.
  std::vector<std::uint32_t> numbers;
  std::vector<Frequency> frequencies;
};

class PostingSlices {
 public:
  struct Term {
    std::string_view bytes;
    std::size_t postings = 0;
  };
  virtual ~PostingSlices() = default;
  // Gives all slices, in order, to `take`. A slice ends with the term that reaches so many postings. One thread, once.
  // kDevice: the postings are lost; and the errors of `take`.
  virtual Result<void> read(std::size_t slice_postings, const std::function<Result<void>(PostingSlice)>& take) = 0;

  // Any thread, also during read().
  virtual std::uint64_t first_document() const = 0;
  virtual std::uint64_t postings() const = 0;
  virtual std::uint64_t memory_bytes() const = 0;   // of the host
  virtual Term term(std::size_t place) const = 0;   // as long as this lives
  virtual void fetch(std::size_t place) const = 0;  // fetches the term's bytes into the caches
};

}  // namespace frond::indexer::runs
