#pragma once
// Seam: the terms of one partition in byte order, each with its postings in docID order. RunMerger reads them from run
// files; HeldPostings (indexer/invert) from the memory of the inverters that made them, where all of it fits
// (docs/adr/0028-postings-that-fit-stay-in-memory.md). One thread.
#include <cstddef>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"

namespace frond::indexer::runs {

class PostingSource {
 public:
  virtual ~PostingSource() = default;
  // Moves to the next term, past the unread postings of this one. False: there is none. Errors as the source's.
  virtual Result<bool> next_term() = 0;
  // Valid until the next call of next_term().
  virtual std::string_view term() const = 0;
  // Appends postings of the term, in docID order, until `docids` has at least `wanted` or the term has no more. False:
  // it had none left.
  virtual Result<bool> read(std::vector<DocId>& docids, std::vector<Frequency>& frequencies, std::size_t wanted) = 0;
};

}  // namespace frond::indexer::runs
