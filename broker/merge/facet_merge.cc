#include "broker/merge/facet_merge.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "broker/merge/facet_stats.h"
#include "common/query/facets/facet_buckets.h"

namespace frond::broker::merge {

using frond::query::BucketOrder;
using frond::query::Facet;
using frond::query::FacetCounts;
using Kind = frond::query::Facet::Kind;

namespace {

// Frees about so many words and facets inside; returns how many that were. Without buckets in the end it is empty.
std::size_t free_part(FacetCounts& counts, std::size_t most) {
  std::size_t freed = std::min(counts.words.size(), most);
  counts.words.resize(counts.words.size() - freed);
  while (!counts.nested.empty() && freed < most) {
    freed += free_part(counts.nested.back(), most - freed);
    if (!counts.nested.back().nested.empty() || !counts.nested.back().words.empty()) break;
    counts.nested.pop_back();
    ++freed;
  }
  return std::min(freed, most);
}

constexpr std::size_t sum_of(std::size_t a, std::size_t b) { return a > ~std::size_t{0} - b ? ~std::size_t{0} : a + b; }
constexpr std::size_t product_of(std::size_t a, std::size_t b) {
  return b != 0 && a > ~std::size_t{0} / b ? ~std::size_t{0} : a * b;
}

// Buckets and percentiles that an answer shows of a facet, whatever is counted; at most 2^64 - 1.
std::size_t always_shown(const Facet& facet);
// What each bucket of the facet shows so, with the facets in it.
std::size_t always_shown_inside(const Facet& facet) {
  std::size_t inside = 0;
  for (const Facet& one : facet.inside) inside = sum_of(inside, sum_of(always_shown(one), 1));
  return inside;
}
std::size_t always_shown(const Facet& facet) {
  const std::size_t bucket = sum_of(always_shown_inside(facet), 1);
  if (facet.kind == Kind::kRanges) return product_of(facet.bounds.size() + 1, bucket);
  if (facet.kind == Kind::kFilters) return product_of(facet.queries.size(), bucket);
  if (facet.kind == Kind::kFilter || facet.kind == Kind::kMissing) return bucket;
  return facet.percents.size();
}
// Whether all of its buckets are shown, also the empty ones.
bool shows_all(Kind kind) {
  return kind == Kind::kRanges || frond::query::is_of_clauses(kind) || kind == Kind::kMissing;
}

}  // namespace

std::size_t counts_bytes(const FacetCounts& facet) {
  std::size_t bytes = (facet.keys.size() + facet.words.size() + facet.counts.size()) * sizeof(std::uint64_t);
  for (const auto& word : facet.words) bytes += word.size();
  for (const FacetCounts& one : facet.nested) bytes += sizeof one + counts_bytes(one);
  return bytes;
}

std::size_t facet_bytes(const wire::SearchReply& reply) {
  std::size_t bytes = 0;
  for (const FacetCounts& facet : reply.facets) bytes += counts_bytes(facet);
  return bytes;
}

Result<void> check_shown(const Arrangement& arrangement) {
  for (const Facet& facet : arrangement.facets)
    if (always_shown(facet) > arrangement.max_buckets)
      return Error(Code::kInvalid, "facet " + schema::quote(facet.name) + " shows more than " +
                                       std::to_string(arrangement.max_buckets) +
                                       " buckets, empty ones and facets in them included");
  return {};
}

std::vector<std::vector<FacetCounts>> take_counts(std::span<wire::SearchReply> replies, std::size_t facets) {
  std::vector<std::vector<FacetCounts>> counts(facets);
  for (std::size_t i = 0; i < facets; ++i)
    for (wire::SearchReply& reply : replies) counts[i].push_back(std::move(reply.facets[i]));
  return counts;
}

FacetMerge::FacetMerge(const Arrangement& arrangement, std::vector<std::vector<FacetCounts>> counts)
    : arrangement_(arrangement), facets_(std::move(counts)) {
  totals_.reserve(facets_.size());
  if (!facets_.empty()) begin(0);
}

void FacetMerge::begin(std::size_t facet) {
  Work work{&arrangement_.facets[facet], &totals_.emplace_back(), {}};
  for (const FacetCounts& counts : facets_[facet]) {
    work.sources.push_back({&counts});
    too_many_ = too_many_ || counts.buckets() > arrangement_.max_buckets;
  }
  buckets_ = 0;
  count_bucket(always_shown(*work.facet));
  work_.push_back(std::move(work));
}

// Adds what is not by bucket, and looks at the first bucket of each source.
void FacetMerge::begin_level() {
  FacetTotals& to = *work_.back().to;
  heads_.clear();
  for (Source& source : work_.back().sources) {
    const FacetCounts& counts = *source.counts;
    to.with_value += counts.with_value;
    to.missing += counts.missing;
    to.values += counts.values;
    to.least = std::min(to.least, counts.least);
    to.greatest = std::max(to.greatest, counts.greatest);
    to.sum.add(counts.sum);
    if (source.more()) heads_.push_back(&source);
  }
  work_.back().has_begun = true;
}

Result<bool> FacetMerge::step(std::size_t buckets) {
  const auto later_word = [](const Source* a, const Source* b) {
    return b->counts->words[b->at] < a->counts->words[a->at];
  };
  const auto later_key = [](const Source* a, const Source* b) {
    return b->counts->keys[b->at] < a->counts->keys[a->at];
  };
  while (!done_) {
    buckets -= free_some(buckets);
    if (!spent_.empty()) return false;
    if (work_.empty()) {
      done_ = totals_.size() == facets_.size() || too_many_;
      if (!done_) begin(totals_.size());
      continue;
    }
    if (!work_.back().has_begun) begin_level();
    if (!too_many_ && !work_.back().is_merged) {
      const bool by_word = !heads_.empty() && !heads_.front()->counts->words.empty();
      buckets -= by_word ? merge_some(buckets, later_word) : merge_some(buckets, later_key);
      if (!too_many_ && !heads_.empty()) return false;
      end_level();
    }
    if (too_many_ || facet().inside.empty() || work_.back().next == work_.back().to->counts.size()) {
      end();
      continue;
    }
    if (buckets == 0) return false;
    buckets -= std::min(buckets, begin_bucket());
  }
  if (!too_many_) return true;
  return Error(Code::kInvalid, "facet " + schema::quote(arrangement_.facets[totals_.size() - 1].name) +
                                   " has more than " + std::to_string(arrangement_.max_buckets) + " different buckets");
}

// Returns how many buckets of sources were merged: at most so many, the last ones of several all the same.
template <class After>
std::size_t FacetMerge::merge_some(std::size_t buckets, const After& after) {
  std::make_heap(heads_.begin(), heads_.end(), after);
  std::size_t merged = 0;
  while (!heads_.empty() && merged < buckets && !too_many_) {
    const Source& first = *heads_.front();
    if (fills()) merged += fill(first.counts->keys[first.at], buckets - merged);
    if (merged == buckets) break;
    same_.clear();
    const std::size_t at = first.at;
    std::uint64_t count = 0;
    do {  // the bucket of each source that has it
      std::pop_heap(heads_.begin(), heads_.end(), after);
      same_.push_back(heads_.back());
      heads_.pop_back();
      if (!same_.back()->counts->counts.empty()) count += same_.back()->counts->counts[same_.back()->at];
    } while (!heads_.empty() && is_same(*heads_.front(), first, at));
    merged += same_.size() + add(same_, count);
    for (Source* const source : same_) {
      ++source->at;
      if (!source->more()) continue;
      heads_.push_back(source);
      std::push_heap(heads_.begin(), heads_.end(), after);
    }
  }
  return std::min(merged, buckets);
}

bool FacetMerge::is_same(const Source& head, const Source& bucket, std::size_t at) {
  if (head.counts->words.empty()) return head.counts->keys[head.at] == bucket.counts->keys[at];
  return head.counts->words[head.at] == bucket.counts->words[at];
}

// Returns for how many buckets it has looked in these.
std::size_t FacetMerge::add(Same same, std::uint64_t count) {
  FacetTotals& to = *work_.back().to;
  ++to.different;
  if (!shows_all(facet().kind)) count_bucket(1);
  const Kind kind = facet().kind;
  if (kind == Kind::kDistinct) return 0;
  const Source& source = *same.front();
  if (kind == Kind::kHistogram || kind == Kind::kDates) {
    if (count >= facet().min_count) {
      count_bucket(always_shown_inside(facet()));
      append(source, source.at, count);
    }
    return 0;
  }
  if (kind != Kind::kValues) {
    append(source, source.at, count);
    return 0;
  }
  if (count < facet().min_count) {
    to.other += count;
    return 0;
  }
  const std::size_t looked = find_ordered_by(same);
  const Shown bucket = shown(same, count);
  if (shown_.size() == facet().size) {
    const bool better = bucket < shown_.front();
    to.other += better ? shown_.front().count : count;
    if (!better) return looked;
    std::pop_heap(shown_.begin(), shown_.end());
    shown_.pop_back();
  }
  shown_.push_back(bucket);
  std::push_heap(shown_.begin(), shown_.end());
  return looked;
}

// Counts buckets that there are or that are shown.
void FacetMerge::count_bucket(std::size_t buckets) {
  buckets_ = sum_of(buckets_, buckets);
  too_many_ = too_many_ || buckets_ > arrangement_.max_buckets;
}

// Returns how many buckets these have.
std::size_t FacetMerge::find_ordered_by(Same same) {
  ordered_by_.clear();
  if (facet().order.by != BucketOrder::By::kFacet) return 0;
  const auto& inside = facet().inside;
  const auto by = std::ranges::find(inside, facet().order.facet, &Facet::name) - inside.begin();
  std::size_t buckets = same.size();
  for (const Source* const one : same) {
    ordered_by_.push_back(&one->counts->nested[one->at * inside.size() + static_cast<std::size_t>(by)]);
    buckets += ordered_by_.back()->buckets();
  }
  return buckets;
}

FacetMerge::Shown FacetMerge::shown(Same same, std::uint64_t count) const {
  const BucketOrder& order = facet().order;
  const Source& source = *same.front();
  Shown bucket{false, count, count, work_.back().to->different, &source, source.at};
  if (order.by == BucketOrder::By::kValue) bucket.rank = bucket.number;
  if (order.by == BucketOrder::By::kFacet) {
    const auto rank = rank_of(*std::ranges::find(facet().inside, order.facet, &Facet::name), order.member, ordered_by_);
    bucket.is_last = !rank.has_value();
    bucket.rank = rank.value_or(0);
  }
  if (order.descending) bucket.rank = ~bucket.rank;
  return bucket;
}

// Whether empty buckets between others are shown.
bool FacetMerge::fills() const {
  return facet().min_count == 0 && (facet().kind == Kind::kHistogram || facet().kind == Kind::kDates);
}

// Adds empty buckets up to the key's, at most so many. Returns how many.
std::size_t FacetMerge::fill(std::uint64_t key, std::size_t most) {
  FacetTotals& to = *work_.back().to;
  const auto type = arrangement_.schema->find(facet().field)->type;
  std::size_t filled = 0;
  while (!to.keys.empty() && filled < most && !too_many_) {
    const auto next = frond::query::next_bucket(facet(), type, to.keys.back());
    if (!next || *next >= key) break;
    to.keys.push_back(*next);
    to.counts.push_back(0);
    ++filled;
    count_bucket(1 + always_shown_inside(facet()));
  }
  return filled;
}

void FacetMerge::append(const Source& source, std::size_t at, std::uint64_t count) {
  FacetTotals& to = *work_.back().to;
  if (source.counts->words.empty())
    to.keys.push_back(source.counts->keys[at]);
  else
    to.words.emplace_back(source.counts->words[at]);
  to.counts.push_back(count);
}

// Writes what the answer shows.
void FacetMerge::end_level() {
  std::sort_heap(shown_.begin(), shown_.end());
  for (const Shown& bucket : shown_) append(*bucket.source, bucket.at, bucket.count);
  Work& work = work_.back();
  if (work.facet->kind == Kind::kValues) count_bucket(product_of(shown_.size(), always_shown_inside(*work.facet)));
  shown_.clear();
  work.is_merged = true;
  if (too_many_) return;
  const auto empty = static_cast<std::size_t>(std::ranges::count(work.to->counts, std::uint64_t{0}));
  work.to->nested.resize((work.to->counts.size() - empty) * work.facet->inside.size());
}

// Goes on to what is in the next bucket. Returns for how many buckets of replies it has looked.
std::size_t FacetMerge::begin_bucket() {
  const std::size_t bucket = work_.back().next++;
  if (work_.back().to->counts[bucket] == 0) return 1;
  const Work work = work_.back();
  const std::size_t inside = work.facet->inside.size(), first = work_.size();
  FacetTotals& to = *work.to;
  for (std::size_t i = 0; i < inside; ++i)
    work_.push_back({&work.facet->inside[i], &to.nested[work.filled * inside + i], {}});
  ++work_[first - 1].filled;
  const auto place_in = [bucket](const auto& all, const auto& shown) {
    const auto found = std::ranges::lower_bound(all, shown[bucket]);
    const bool is_there = found != all.end() && *found == shown[bucket];
    return is_there ? found - all.begin() : std::ptrdiff_t{-1};
  };
  for (const Source& source : work.sources) {
    const FacetCounts& counts = *source.counts;
    const auto place = to.words.empty() ? place_in(counts.keys, to.keys) : place_in(counts.words, to.words);
    for (std::size_t i = 0; place >= 0 && i < inside; ++i)
      work_[first + i].sources.push_back({&counts.nested[static_cast<std::size_t>(place) * inside + i]});
  }
  return inside * (work.sources.size() + 1);
}

void FacetMerge::end() {
  work_.pop_back();
  if (too_many_) work_.clear();
  if (!work_.empty()) return;
  for (std::size_t i = totals_.size() - 1; i < (too_many_ ? facets_.size() : totals_.size()); ++i)
    std::ranges::move(facets_[i], std::back_inserter(spent_));
}

// To free millions of words takes its time, too.
std::size_t FacetMerge::free_some(std::size_t buckets) {
  std::size_t freed = 0;
  while (!spent_.empty()) {
    freed += free_part(spent_.back(), buckets - freed);
    if (!spent_.back().words.empty() || !spent_.back().nested.empty()) break;
    spent_.pop_back();
  }
  return freed;
}

}  // namespace frond::broker::merge
