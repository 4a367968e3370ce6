#pragma once
// What becomes of the documents that match, a window at a time: sorted by values, counted for facets.
#include "common/base/result.h"
#include "leaf/clauses/matchers/matcher.h"

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
  // Whether it asks the matcher for scores.
  virtual bool needs_scores() const { return false; }
  // Asked once, before the first window. True: from now on take() is given, for all windows, the documents that do not
  // match or are hidden, where those are fewer. False: it cannot tell from these.
  virtual bool counts_rest() { return false; }
};

}  // namespace frond::leaf::clauses
