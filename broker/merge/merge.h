#pragma once
// Merges the leaves' rankings into one page, a search's answer before it becomes JSON: of AND, of OR, or of AND and
// then of the other documents of OR (mode `auto`). With Rank::kNone all scores are 0, so the order of hits is that of
// ordinals. With an order of their own, hits come by their sort bytes and then by ordinal. Pure functions.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/query/facets/exact_sum.h"
#include "common/query/facets/facet.h"
#include "common/query/facets/facet_counts.h"
#include "common/query/sort_order.h"
#include "common/schema/schema.h"
#include "common/topk/hit.h"
#include "common/wire/messages.h"

namespace frond::broker::merge {

// A number of documents.
struct Count {
  std::uint64_t value = 0;
  bool exact = true;  // false: a lower bound
  friend bool operator==(const Count&, const Count&) = default;
};

struct PageHit {
  topk::Hit hit;
  std::string id, title, url;    // title, url and snippet: not to be shown if the search does not want them
  std::string snippet;           // plain text; matches between U+0002 and U+0003
  std::string columns = {};      // a JSON object, as wire::FetchedDocument has it; empty: none
  std::string explanation = {};  // likewise
  std::string sort_bytes = {};   // of a search with an order; check() has accepted them
};

// What the texts `sort` and `facets` of a request say, and the schema that they are of.
struct Arrangement {
  frond::query::SortOrder order;                           // empty: by score
  std::vector<frond::query::Facet> facets;                 // bound
  std::size_t max_buckets = 0;                             // of each facet, with those in it
  std::shared_ptr<const schema::Schema> schema = nullptr;  // not null with an order or facets
};

// What was counted for one facet, or for one in a bucket of another, over all replies (facet_merge.h).
struct FacetTotals {
  std::uint64_t with_value = 0;  // documents with a value
  std::uint64_t missing = 0;     // documents without a value
  std::uint64_t different = 0;   // buckets that are not empty
  std::uint64_t other = 0;       // kValues: the sum of the counts of those that are not shown
  // As query::FacetCounts has them. kValues: those that are shown, in their order; kHistogram and kDates: likewise,
  // also empty ones if they are wanted; of others that have buckets all that are not empty, ascending; kDistinct: none.
  std::vector<std::uint64_t> keys;
  std::vector<std::string> words;
  std::vector<std::uint64_t> counts;
  // kStats and kCount: likewise.
  std::uint64_t values = 0, least = ~std::uint64_t{0}, greatest = 0;
  frond::query::ExactSum sum;
  // As query::FacetCounts has them, but of buckets with documents only.
  std::vector<FacetTotals> nested;
};

// What leaves have counted and nobody has added up, since it is to be added to that of other collections.
struct CountedFacets {
  Arrangement arrangement;
  std::vector<std::vector<frond::query::FacetCounts>> counts;  // of each facet: of each reply
};

struct Page {
  Generation generation = 0;
  std::uint32_t partitions_total = 0;
  std::vector<wire::UnsearchedPartition> unsearched;  // ordered by partition; empty: all were searched
  std::string refusal;  // why a leaf calls the query invalid, or one such leaf; empty: none does
  // kAnd: all hits have all words; kOr: any words; kAuto: documents with all words, then others.
  wire::Mode mode_used = wire::Mode::kOr;
  Count total;                     // documents that match
  std::optional<Count> all_words;  // mode `auto`: those with all words
  std::vector<PageHit> hits;
  // With an order: the last hit's, if others follow it, and no hit of the page is left out.
  std::optional<frond::query::SortPosition> last;
  std::vector<FacetTotals> facets;
  std::shared_ptr<CountedFacets> counted;     // not null: in place of the facets
  std::vector<std::size_t> facet_buckets;     // of each, in all replies
  std::vector<frond::query::NearTerms> near;  // of each word of the request; empty: none, or no leaf has said
  struct LeafProfile {
    std::string leaf;
    std::uint64_t round_trip_us = 0;
    std::vector<wire::PartitionProfile> partitions;
    std::vector<wire::SearchRun> runs;  // empty: an older leaf
    std::uint64_t sent_us = 0;          // since the search's begin
  };
  struct Profile {
    std::uint64_t search_us = 0, fetch_us = 0;  // times of the two round trips; 0: there was no second one
    std::optional<std::uint64_t> half_us;       // until half of the partitions were searched, if some are missing
    std::vector<LeafProfile> leaves;
  } profile;

  bool whole() const { return unsearched.empty(); }
  std::uint32_t partitions_answered() const { return partitions_total - static_cast<std::uint32_t>(unsearched.size()); }
  bool timed_out() const {
    for (const auto& one : unsearched)
      if (one.reason == wire::UnsearchedReason::kDeadline) return true;
    return false;
  }
};

struct MergedHit {
  topk::Hit hit;
  std::uint32_t source = 0;          // index of the reply that it came from
  std::string_view sort_bytes = {};  // in that reply
};
struct Merged {
  wire::Mode mode_used = wire::Mode::kOr;  // as Page::mode_used
  std::vector<MergedHit> page;             // hits [offset, offset + k) of the ranking, best first
  Count total;                             // documents that match
  std::optional<Count> all_words;          // kAuto: those with all words
  bool more = false;                       // hits follow the page; known with an order only
};

// kCorrupt: the reply has not the rankings that `request` asks for (see SearchReply), or more hits than its depth, or
// hits out of order, or scores with Rank::kNone, or an inexact count with that or with exact_total. Such a reply must
// not be used. With kAuto, OR is required if the reply's own AND has fewer matches than auto_needs. With an order: a
// hit without the sort bytes that it can have, or one up to request.after; with facets: counts that cannot be theirs;
// with words that others may be like: what is of other words.
Result<void> check(const wire::SearchRequest& request, const wire::SearchReply& reply,
                   const Arrangement& arrangement = {});

// `replies` have passed check(), with auto_needs >= depth. With kAuto, the documents with all words come first, then
// the others. The others are complete where they are shown: AND has fewer hits than depth then, so every reply has all
// of its own, and OR. The total is a lower bound if OR was not needed. A document that is in two replies is returned
// once. Behind request.after, `depth` is one more than the page.
Merged merge(const wire::SearchRequest& request, std::span<const wire::SearchReply> replies, std::uint32_t offset);

}  // namespace frond::broker::merge
