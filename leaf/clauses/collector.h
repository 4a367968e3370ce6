#pragma once
// What becomes of the documents that match, a window at a time: sorted by values, counted for facets.
#include "common/base/result.h"
#include "leaf/clauses/matcher.h"

namespace frond::leaf::clauses {

// One thread. Windows come in ascending order, some are left out.
class Collector {
 public:
  virtual ~Collector() = default;
  // Takes documents out that are of no use to it, whether they match or not, and returns the score below which others
  // are not, either. Asked for where matches need not be counted any more.
  virtual std::uint64_t narrow(DocId first, Bits& documents) = 0;
  // The documents of a window that match, but for those that narrow() allowed to leave out. Errors: kInvalid, kCorrupt.
  virtual Result<void> take(DocId first, const Bits& documents, Matcher& root) = 0;
};

}  // namespace frond::leaf::clauses
