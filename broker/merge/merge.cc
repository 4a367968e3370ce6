#include "broker/merge/merge.h"

#include <algorithm>
#include <string>

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
  if (request.rank == wire::Rank::kScore) return {};
  const auto scored = [](const topk::Hit& hit) { return hit.score != 0; };
  if (std::any_of(ranking.hits.begin(), ranking.hits.end(), scored))
    return Error(Code::kCorrupt, "scores, though none were asked for");
  if (!ranking.exact) return Error(Code::kCorrupt, "a lower bound of the matches, where their number was asked for");
  return {};
}

// A cursor into one reply's hits; the best unread ones form a heap.
struct Head {
  const topk::Hit* at;
  const topk::Hit* end;
  std::uint32_t source;
};
bool worse(const Head& a, const Head& b) { return topk::better(*b.at, *a.at); }

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
  bool use_and = request.mode == wire::Mode::kAnd;
  if (request.mode == wire::Mode::kAuto) {
    std::uint64_t matches = 0;
    for (const auto& reply : replies) matches += reply.and_ranking.matches;
    use_and = matches >= request.auto_needs;
  }
  merged.mode_used = use_and ? wire::Mode::kAnd : wire::Mode::kOr;

  std::vector<Head> heads;
  for (std::uint32_t source = 0; source < replies.size(); ++source) {
    const auto& ranking = use_and ? replies[source].and_ranking : replies[source].or_ranking;
    merged.total += ranking.matches;
    merged.total_exact = merged.total_exact && ranking.exact;
    const auto* const hits = ranking.hits.data();
    if (!ranking.hits.empty()) heads.push_back({hits, hits + ranking.hits.size(), source});
  }
  std::make_heap(heads.begin(), heads.end(), worse);
  const topk::Hit* last = nullptr;
  for (std::uint32_t rank = 0; rank < request.depth && !heads.empty();) {
    std::pop_heap(heads.begin(), heads.end(), worse);
    Head& best = heads.back();
    if (last == nullptr || !(*best.at == *last)) {
      if (rank >= offset) merged.page.push_back({*best.at, best.source});
      ++rank;
    }
    last = best.at;
    if (++best.at == best.end)
      heads.pop_back();
    else
      std::push_heap(heads.begin(), heads.end(), worse);
  }
  return merged;
}

}  // namespace frond::broker::merge
