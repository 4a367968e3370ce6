#include "broker/merge/merge.h"

#include <algorithm>
#include <utility>

#include "common/query/facets/facet_counts.h"
#include "common/topk/top_k.h"

namespace frond::broker::merge {
namespace {

Error corrupt(const std::string& what) { return {Code::kCorrupt, what}; }

// By sort bytes, if there are any.
bool comes_before(const topk::Hit& a, std::string_view a_bytes, const topk::Hit& b, std::string_view b_bytes) {
  if (a_bytes.empty() && b_bytes.empty()) return topk::better(a, b);
  const int order = a_bytes.compare(b_bytes);
  return order < 0 || (order == 0 && a.ordinal < b.ordinal);
}

Result<void> check_sorted(const wire::Ranking& ranking, const wire::SearchRequest& request,
                          const Arrangement& arrangement) {
  if (ranking.sort_bytes.size() != ranking.hits.size()) return corrupt("hits without sort bytes, or bytes of no hit");
  const bool scored = needs_scores(arrangement.order);
  for (std::size_t i = 0; i < ranking.hits.size(); ++i) {
    const topk::Hit& hit = ranking.hits[i];
    const std::string& bytes = ranking.sort_bytes[i];
    const auto values = FROND_TRY(read_sort_bytes(bytes, arrangement.order, *arrangement.schema));
    if (!scored && hit.score != 0) return corrupt("scores, though none were asked for");
    for (std::size_t key = 0; key < values.size(); ++key) {
      using By = frond::query::SortKey::By;
      const By by = arrangement.order[key].by;
      if ((by == By::kScore && values[key].score != hit.score) ||
          (by == By::kOrder && values[key].ordinal != hit.ordinal))
        return corrupt("sort bytes of another hit at rank " + std::to_string(i));
    }
    const std::string* before = i > 0 ? &ranking.sort_bytes[i - 1] : request.after ? &request.after->bytes : nullptr;
    const Ordinal ordinal = i > 0 ? ranking.hits[i - 1].ordinal : request.after ? request.after->ordinal : 0;
    if (before != nullptr && (bytes < *before || (bytes == *before && hit.ordinal <= ordinal)))
      return corrupt("hits out of order at rank " + std::to_string(i));
  }
  return {};
}

Result<void> check_ranking(const wire::Ranking& ranking, const wire::SearchRequest& request,
                           const Arrangement& arrangement) {
  const std::uint32_t depth = request.depth;
  if (ranking.hits.size() > depth)
    return corrupt(std::to_string(ranking.hits.size()) + " hits for a depth of " + std::to_string(depth));
  if (!arrangement.order.empty()) {
    FROND_TRY(check_sorted(ranking, request, arrangement));
  } else {
    if (!ranking.sort_bytes.empty()) return corrupt("sort bytes, though no order was asked for");
    for (std::size_t i = 1; i < ranking.hits.size(); ++i)
      if (!topk::better(ranking.hits[i - 1], ranking.hits[i]))
        return corrupt("hits out of order at rank " + std::to_string(i));
  }
  if (ranking.matches < ranking.hits.size()) return corrupt("fewer matches than hits");
  if (!ranking.exact && (request.rank == wire::Rank::kNone || request.exact_total))
    return corrupt("a lower bound of the matches, where their number was asked for");
  if (request.rank == wire::Rank::kScore) return {};
  const auto scored = [](const topk::Hit& hit) { return hit.score != 0; };
  if (std::any_of(ranking.hits.begin(), ranking.hits.end(), scored))
    return corrupt("scores, though none were asked for");
  return {};
}

// A place in one reply's hits; the best unread ones form a heap.
struct Head {
  const wire::Ranking* ranking;
  std::uint32_t source;
  std::size_t at = 0;
  const topk::Hit& hit() const { return ranking->hits[at]; }
  std::string_view sort_bytes() const {
    if (ranking->sort_bytes.empty()) return {};
    return ranking->sort_bytes[at];
  }
};
bool worse(const Head& a, const Head& b) { return comes_before(b.hit(), b.sort_bytes(), a.hit(), a.sort_bytes()); }

// The best `depth` of one ranking of all replies.
std::vector<MergedHit> merged_hits(std::span<const wire::SearchReply> replies, wire::Ranking wire::SearchReply::*of,
                                   std::uint32_t depth) {
  std::vector<MergedHit> merged;
  std::vector<Head> heads;
  for (std::uint32_t source = 0; source < replies.size(); ++source) {
    const wire::Ranking& ranking = replies[source].*of;
    if (!ranking.hits.empty()) heads.push_back({&ranking, source});
  }
  std::make_heap(heads.begin(), heads.end(), worse);
  while (merged.size() < depth && !heads.empty()) {
    std::pop_heap(heads.begin(), heads.end(), worse);
    Head& best = heads.back();
    if (merged.empty() || !(best.hit() == merged.back().hit))
      merged.push_back({best.hit(), best.source, best.sort_bytes()});
    if (++best.at == best.ranking->hits.size())
      heads.pop_back();
    else
      std::push_heap(heads.begin(), heads.end(), worse);
  }
  return merged;
}

Count count(std::span<const wire::SearchReply> replies, wire::Ranking wire::SearchReply::*of) {
  Count sum;
  for (const wire::SearchReply& reply : replies) {
    sum.value += (reply.*of).matches;
    sum.exact = sum.exact && (reply.*of).exact;
  }
  return sum;
}

}  // namespace

Result<void> check(const wire::SearchRequest& request, const wire::SearchReply& reply, const Arrangement& arrangement) {
  const bool wants_and = request.mode != wire::Mode::kOr;
  if (wants_and && !reply.has_and) return corrupt("no AND ranking");
  if (request.mode == wire::Mode::kOr && !reply.has_or) return corrupt("no OR ranking");
  if (request.mode == wire::Mode::kAuto && !reply.has_or && reply.and_ranking.matches < request.auto_needs)
    return corrupt("AND is short, and no OR ranking");
  if (reply.has_and) FROND_TRY(check_ranking(reply.and_ranking, request, arrangement));
  if (reply.has_or) FROND_TRY(check_ranking(reply.or_ranking, request, arrangement));
  if (reply.facets.size() != arrangement.facets.size())
    return corrupt(std::to_string(reply.facets.size()) + " facets, and " + std::to_string(arrangement.facets.size()) +
                   " were asked for");
  if (!reply.near.empty() && reply.near.size() != request.near.size())
    return corrupt("what is like " + std::to_string(reply.near.size()) + " words, and " +
                   std::to_string(request.near.size()) + " were asked for");
  for (std::size_t i = 0; i < reply.facets.size(); ++i)
    FROND_TRY(check(reply.facets[i], arrangement.facets[i], *arrangement.schema));
  return {};
}

Merged merge(const wire::SearchRequest& request, std::span<const wire::SearchReply> replies, std::uint32_t offset) {
  Merged merged;
  const bool any_words = request.mode == wire::Mode::kOr;
  const auto first = any_words ? &wire::SearchReply::or_ranking : &wire::SearchReply::and_ranking;
  std::vector<MergedHit> hits = merged_hits(replies, first, request.depth);
  merged.mode_used = any_words ? wire::Mode::kOr : wire::Mode::kAnd;
  merged.total = count(replies, first);
  if (request.mode == wire::Mode::kAuto) {
    merged.all_words = merged.total;
    const bool same = request.terms.size() == 1 && request.clause.empty();  // all words are any word
    const bool enough = hits.size() >= request.depth;
    if (!same && (!enough || request.rank == wire::Rank::kNone || request.exact_total))
      merged.total = count(replies, &wire::SearchReply::or_ranking);
    else if (!same)
      merged.total.exact = false;                                                // others may match
    merged.total.value = std::max(merged.total.value, merged.all_words->value);  // bounds may differ
    if (!same && !enough) {
      merged.mode_used = hits.empty() ? wire::Mode::kOr : wire::Mode::kAuto;
      const auto others = merged_hits(replies, &wire::SearchReply::or_ranking, request.depth);
      topk::append_others(hits, std::span(others), request.depth, &MergedHit::hit);
    }
  }
  if (offset > 0) hits.erase(hits.begin(), hits.begin() + std::min<std::size_t>(offset, hits.size()));
  if (request.after) {
    merged.more = hits.size() >= request.depth;
    if (merged.more) hits.pop_back();
  } else if (!request.sort.empty()) {
    merged.more = merged.total.value > offset + hits.size();
  }
  merged.page = std::move(hits);
  return merged;
}

}  // namespace frond::broker::merge
