#include "broker/merge/merge.h"

#include <algorithm>
#include <utility>

#include "common/topk/top_k.h"

namespace frond::broker::merge {
namespace {

Result<void> check_ranking(const wire::Ranking& ranking, const wire::SearchRequest& request) {
  const std::uint32_t depth = request.depth;
  if (ranking.hits.size() > depth)
    return Error(Code::kCorrupt, std::to_string(ranking.hits.size()) + " hits for a depth of " + std::to_string(depth));
  for (std::size_t i = 1; i < ranking.hits.size(); ++i)
    if (!topk::better(ranking.hits[i - 1], ranking.hits[i]))
      return Error(Code::kCorrupt, "hits out of order at rank " + std::to_string(i));
  if (ranking.matches < ranking.hits.size()) return Error(Code::kCorrupt, "fewer matches than hits");
  if (!ranking.exact && (request.rank == wire::Rank::kNone || request.exact_total))
    return Error(Code::kCorrupt, "a lower bound of the matches, where their number was asked for");
  if (request.rank == wire::Rank::kScore) return {};
  const auto scored = [](const topk::Hit& hit) { return hit.score != 0; };
  if (std::any_of(ranking.hits.begin(), ranking.hits.end(), scored))
    return Error(Code::kCorrupt, "scores, though none were asked for");
  return {};
}

// A cursor into one reply's hits; the best unread ones form a heap.
struct Head {
  const topk::Hit* at;
  const topk::Hit* end;
  std::uint32_t source;
};
bool worse(const Head& a, const Head& b) { return topk::better(*b.at, *a.at); }

// The best `depth` of one ranking of all replies.
std::vector<MergedHit> merged_hits(std::span<const wire::SearchReply> replies, wire::Ranking wire::SearchReply::*of,
                                   std::uint32_t depth) {
  std::vector<MergedHit> merged;
  std::vector<Head> heads;
  for (std::uint32_t source = 0; source < replies.size(); ++source) {
    const std::vector<topk::Hit>& hits = (replies[source].*of).hits;
    if (!hits.empty()) heads.push_back({hits.data(), hits.data() + hits.size(), source});
  }
  std::make_heap(heads.begin(), heads.end(), worse);
  while (merged.size() < depth && !heads.empty()) {
    std::pop_heap(heads.begin(), heads.end(), worse);
    Head& best = heads.back();
    if (merged.empty() || !(*best.at == merged.back().hit)) merged.push_back({*best.at, best.source});
    if (++best.at == best.end)
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

Result<void> check(const wire::SearchRequest& request, const wire::SearchReply& reply) {
  const bool wants_and = request.mode != wire::Mode::kOr;
  if (wants_and && !reply.has_and) return Error(Code::kCorrupt, "no AND ranking");
  if (request.mode == wire::Mode::kOr && !reply.has_or) return Error(Code::kCorrupt, "no OR ranking");
  if (request.mode == wire::Mode::kAuto && !reply.has_or && reply.and_ranking.matches < request.auto_needs)
    return Error(Code::kCorrupt, "AND is short, and no OR ranking");
  if (reply.has_and) FROND_TRY(check_ranking(reply.and_ranking, request));
  if (reply.has_or) FROND_TRY(check_ranking(reply.or_ranking, request));
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
  merged.page = std::move(hits);
  return merged;
}

}  // namespace frond::broker::merge
