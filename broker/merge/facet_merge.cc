#include "broker/merge/facet_merge.h"

#include <algorithm>
#include <string>

namespace frond::broker::merge {

using frond::query::FacetCounts;
using Kind = frond::query::Facet::Kind;

std::size_t facet_bytes(const wire::SearchReply& reply) {
  std::size_t bytes = 0;
  for (const FacetCounts& facet : reply.facets) {
    bytes += (facet.keys.size() + facet.words.size() + facet.counts.size()) * sizeof(std::uint64_t);
    for (const auto& word : facet.words) bytes += word.size();
  }
  return bytes;
}

FacetMerge::FacetMerge(const Arrangement& arrangement, std::span<wire::SearchReply> replies)
    : arrangement_(arrangement), sources_(arrangement.facets.size()) {
  for (std::size_t i = 0; i < sources_.size(); ++i)
    for (wire::SearchReply& reply : replies) sources_[sources_.size() - 1 - i].push_back({std::move(reply.facets[i])});
  totals_.reserve(sources_.size());
  if (!sources_.empty()) begin();
}

// Adds what is not by bucket, and looks at the first bucket of each reply.
void FacetMerge::begin() {
  FacetTotals& to = totals_.emplace_back();
  heads_.clear();
  for (Source& source : sources_.back()) {
    const FacetCounts& counts = source.counts;
    to.missing += counts.missing;
    to.values += counts.values;
    to.least = std::min(to.least, counts.least);
    to.greatest = std::max(to.greatest, counts.greatest);
    to.sum.add(counts.sum);
    too_many_ = too_many_ || counts.buckets() > arrangement_.max_buckets;
    if (source.more()) heads_.push_back(&source);
  }
}

Result<bool> FacetMerge::step(std::size_t buckets) {
  const auto later_word = [](const Source* a, const Source* b) {
    return b->counts.words[b->at] < a->counts.words[a->at];
  };
  const auto later_key = [](const Source* a, const Source* b) { return b->counts.keys[b->at] < a->counts.keys[a->at]; };
  while (!sources_.empty() || !spent_.empty()) {
    buckets -= free_some(buckets);
    if (!spent_.empty()) return false;
    if (sources_.empty()) break;
    if (!too_many_) {
      const bool by_word = !heads_.empty() && !heads_.front()->counts.words.empty();
      buckets -= by_word ? merge_some(buckets, later_word) : merge_some(buckets, later_key);
      if (!too_many_ && !heads_.empty()) return false;
    }
    end();
  }
  if (!too_many_) return true;
  return Error(Code::kInvalid, "facet " + schema::quote(facet().name) + " has more than " +
                                   std::to_string(arrangement_.max_buckets) + " different buckets");
}

// Returns how many buckets of replies were merged: at most so many, the last ones of several replies all the same.
template <class After>
std::size_t FacetMerge::merge_some(std::size_t buckets, const After& after) {
  std::make_heap(heads_.begin(), heads_.end(), after);
  std::size_t merged = 0;
  while (!heads_.empty() && merged < buckets && !too_many_) {
    const Source& first = *heads_.front();
    const std::size_t at = first.at;
    std::uint64_t count = 0;
    do {  // the bucket of each reply that has it
      std::pop_heap(heads_.begin(), heads_.end(), after);
      Source& source = *heads_.back();
      if (!source.counts.counts.empty()) count += source.counts.counts[source.at];
      ++merged;
      ++source.at;
      if (source.more())
        std::push_heap(heads_.begin(), heads_.end(), after);
      else
        heads_.pop_back();
    } while (!heads_.empty() && is_same(*heads_.front(), first, at));
    add(first, at, count);
  }
  return std::min(merged, buckets);
}

bool FacetMerge::is_same(const Source& head, const Source& bucket, std::size_t at) {
  if (head.counts.words.empty()) return head.counts.keys[head.at] == bucket.counts.keys[at];
  return head.counts.words[head.at] == bucket.counts.words[at];
}

void FacetMerge::add(const Source& source, std::size_t at, std::uint64_t count) {
  FacetTotals& to = totals_.back();
  too_many_ = ++to.different > arrangement_.max_buckets;
  if (facet().kind == Kind::kDistinct) return;
  if (facet().kind != Kind::kValues) return append(source, at, count);
  const Shown bucket{count, to.different, &source, at};
  if (shown_.size() == facet().size) {
    const bool better = bucket < shown_.front();
    to.other += better ? shown_.front().count : count;
    if (!better) return;
    std::pop_heap(shown_.begin(), shown_.end());
    shown_.pop_back();
  }
  shown_.push_back(bucket);
  std::push_heap(shown_.begin(), shown_.end());
}

void FacetMerge::append(const Source& source, std::size_t at, std::uint64_t count) {
  FacetTotals& to = totals_.back();
  if (source.counts.words.empty())
    to.keys.push_back(source.counts.keys[at]);
  else
    to.words.emplace_back(source.counts.words[at]);
  to.counts.push_back(count);
}

// Writes what the answer shows, and goes on to the next facet.
void FacetMerge::end() {
  std::sort_heap(shown_.begin(), shown_.end());
  for (const Shown& bucket : shown_) append(*bucket.source, bucket.at, bucket.count);
  shown_.clear();
  spent_ = std::move(sources_.back());
  sources_.pop_back();
  if (!sources_.empty() && !too_many_) begin();
}

// To free millions of words takes its time, too.
std::size_t FacetMerge::free_some(std::size_t buckets) {
  std::size_t freed = 0;
  while (!spent_.empty()) {
    auto& words = spent_.back().counts.words;
    const std::size_t some = std::min(words.size(), buckets - freed);
    words.resize(words.size() - some);
    freed += some;
    if (!words.empty()) break;
    spent_.pop_back();
  }
  return freed;
}

}  // namespace frond::broker::merge
