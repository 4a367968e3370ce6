#pragma once
// Adds up what leaves have counted for the facets of a search. Leaves send all of their buckets, ascending, up to
// millions in all; they are merged in steps, so that a loop has time for others in between, and of values only those
// are kept that the answer shows. Not thread-safe.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "broker/merge/merge.h"
#include "common/base/result.h"
#include "common/query/facet_counts.h"
#include "common/wire/messages.h"

namespace frond::broker::merge {

// What the facets of a reply take, about: to be counted before they are kept.
std::size_t facet_bytes(const wire::SearchReply& reply);

class FacetMerge {
 public:
  // `replies` have passed check(), and lose their facets. The arrangement outlives this object.
  FacetMerge(const Arrangement& arrangement, std::span<wire::SearchReply> replies);
  // Merges or frees about so many buckets of the replies. True: that was all. kInvalid, at the end likewise: a facet
  // has more than arrangement.max_buckets; if one reply has, its facet is not merged.
  Result<bool> step(std::size_t buckets);
  // Of each facet, once step() has returned true.
  std::vector<FacetTotals> take() { return std::move(totals_); }

 private:
  // The buckets of one reply, and the first of them that is not merged yet.
  struct Source {
    frond::query::FacetCounts counts;
    std::size_t at = 0;
    bool more() const { return at < counts.buckets(); }
  };
  // A bucket that may be shown: the `number`-th by value, as the source has it at `at`.
  struct Shown {
    std::uint64_t count, number;
    const Source* source;
    std::size_t at;
    friend bool operator<(const Shown& a, const Shown& b) {  // whether it is shown before the other
      return a.count != b.count ? a.count > b.count : a.number < b.number;
    }
  };

  const frond::query::Facet& facet() const { return arrangement_.facets[totals_.size() - 1]; }
  void begin();
  template <class After>
  std::size_t merge_some(std::size_t buckets, const After& after);
  static bool is_same(const Source& head, const Source& bucket, std::size_t at);
  void add(const Source& source, std::size_t at, std::uint64_t count);
  void append(const Source& source, std::size_t at, std::uint64_t count);
  void end();
  std::size_t free_some(std::size_t buckets);

  const Arrangement& arrangement_;
  std::vector<std::vector<Source>> sources_;  // of each facet that is not done yet, the last facet first
  std::vector<Source> spent_;                 // of the one that was done last, to be freed
  std::vector<FacetTotals> totals_;           // of those that are done, and of the one under way
  std::vector<Source*> heads_;                // of it, a heap: the least bucket first
  std::vector<Shown> shown_;                  // of it, a heap: the one to be left out next is first
  bool too_many_ = false;                     // it has more than max_buckets
};

}  // namespace frond::broker::merge
