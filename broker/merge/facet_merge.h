#pragma once
// Adds up what leaves have counted for the facets of a search. Leaves send all of their buckets, ascending, up to
// millions in all; they are merged in steps, so that a loop has time for others in between, and of values only those
// are kept that the answer shows. What is in their buckets is merged afterwards, facet by facet. Not thread-safe.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "broker/merge/merge.h"
#include "common/base/result.h"
#include "common/query/facets/facet_counts.h"
#include "common/wire/messages.h"

namespace frond::broker::merge {

// What counts take, about: to be added up before they are kept, of all that are merged.
std::size_t counts_bytes(const frond::query::FacetCounts& counts);
std::size_t facet_bytes(const wire::SearchReply& reply);
inline constexpr std::size_t kMaxFacetBytes = std::size_t{256} << 20;

// kInvalid: an answer shows more than max_buckets of a facet even if no document matches. Of such facets no leaf is to
// be asked: what their answer takes grows with the power of their depth.
Result<void> check_shown(const Arrangement& arrangement);

// What replies have counted, by facet; they lose it.
std::vector<std::vector<frond::query::FacetCounts>> take_counts(std::span<wire::SearchReply> replies,
                                                                std::size_t facets);

// About a millisecond's work, after which others should have their turn.
inline constexpr std::size_t kBucketsOfAStep = 1 << 14;

class FacetMerge {
 public:
  // `counts`: of each facet those of each reply, which have passed check(). The arrangement outlives this object.
  FacetMerge(const Arrangement& arrangement, std::vector<std::vector<frond::query::FacetCounts>> counts);
  // Merges or frees about so many buckets of the replies. True: that was all. kInvalid, at the end likewise: a facet
  // has or shows more than arrangement.max_buckets, what is in buckets that are shown included; if one reply has, its
  // facet is not merged.
  Result<bool> step(std::size_t buckets);
  // Of each facet, once step() has returned true.
  std::vector<FacetTotals> take() { return std::move(totals_); }

 private:
  // The buckets of one reply, and the first of them that is not merged yet.
  struct Source {
    const frond::query::FacetCounts* counts;
    std::size_t at = 0;
    bool more() const { return at < counts->buckets(); }
  };
  // A facet, or one in a bucket of another, and where it goes.
  struct Work {
    const frond::query::Facet* facet;
    FacetTotals* to;
    std::vector<Source> sources;  // of each reply that has it
    bool has_begun = false, is_merged = false;
    std::size_t next = 0;    // the first of its buckets whose facets are not begun yet
    std::size_t filled = 0;  // those before it with documents
  };
  // A bucket that may be shown: the `number`-th by value, as the source has it at `at`.
  struct Shown {
    bool is_last;        // it has nothing to be ordered by
    std::uint64_t rank;  // smaller ones come first
    std::uint64_t count, number;
    const Source* source;
    std::size_t at;
    friend bool operator<(const Shown& a, const Shown& b) {  // whether it is shown before the other
      if (a.is_last != b.is_last) return b.is_last;
      return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
    }
  };
  using Same = std::span<Source* const>;  // the sources that have a bucket, at their `at`

  const frond::query::Facet& facet() const { return *work_.back().facet; }
  void begin(std::size_t facet);
  void begin_level();
  template <class After>
  std::size_t merge_some(std::size_t buckets, const After& after);
  static bool is_same(const Source& head, const Source& bucket, std::size_t at);
  std::size_t add(Same same, std::uint64_t count);
  std::size_t find_ordered_by(Same same);
  Shown shown(Same same, std::uint64_t count) const;
  bool fills() const;
  std::size_t fill(std::uint64_t key, std::size_t most);
  void count_bucket(std::size_t buckets);
  void append(const Source& source, std::size_t at, std::uint64_t count);
  void end_level();
  std::size_t begin_bucket();
  void end();
  std::size_t free_some(std::size_t buckets);

  const Arrangement& arrangement_;
  std::vector<std::vector<frond::query::FacetCounts>> facets_;  // of the replies, of each facet that is not done yet
  std::vector<frond::query::FacetCounts> spent_;                // of the one that was done last, to be freed
  std::vector<FacetTotals> totals_;                             // of those that are done, and of the one under way
  std::vector<Work> work_;      // of it: the last one is being merged, in a bucket of one before it
  std::size_t buckets_ = 0;     // of it, so far, different ones and those that are shown
  std::vector<Source*> heads_;  // of its last work, a heap: the least bucket first
  std::vector<Source*> same_;   // room for those that have a bucket
  std::vector<const frond::query::FacetCounts*> ordered_by_;  // of these, what their bucket is ordered by
  std::vector<Shown> shown_;                                  // a heap: the one to be left out next is first
  bool too_many_ = false;                                     // it has more than max_buckets
  bool done_ = false;
};

}  // namespace frond::broker::merge
