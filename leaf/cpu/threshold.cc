#include "leaf/cpu/threshold.h"

#include <functional>

namespace frond::leaf::cpu {
namespace {

// How many blocks to score for the k best. A block has few of a long list's best postings, so a small k takes k blocks.
// A large k takes 24 and enough for 2 k postings: more would cost too much to score.
std::uint32_t blocks_to_try(std::uint32_t k) {
  constexpr std::uint32_t kMost = 24;
  return std::min(kMost, std::max<std::uint32_t>(k, 4)) + k / kBlockLength * 2;
}

// The `count` blocks with the least deficits, in ascending order.
std::vector<std::uint32_t> best_blocks(const TermReader& term, std::uint32_t count) {
  std::vector<std::uint64_t> order(term.blocks());  // deficit in the high half, block in the low half
  for (std::uint32_t block = 0; block < term.blocks(); ++block)
    order[block] = std::uint64_t{term.list().block_deficit(block)} << 32 | block;
  if (order.size() > count) {
    std::nth_element(order.begin(), order.begin() + count, order.end());
    order.resize(count);
  }
  std::vector<std::uint32_t> blocks(order.begin(), order.end());  // conversion keeps the low half
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

}  // namespace

std::size_t drop_hidden(const partition::HiddenDocuments& hidden, Selection documents, std::size_t count) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    documents.docids[kept] = documents.docids[i];
    documents.scores[kept] = documents.scores[i];
    kept += hidden.contains(documents.docids[i]) ? 0 : 1;
  }
  return kept;
}

namespace {

// Decodes the blocks that may hold some: all of the list at most.
std::uint64_t hidden_postings(TermReader& term, const partition::HiddenDocuments& hidden) {
  std::uint64_t count = 0;
  std::uint32_t block = 0;
  for (DocId docid = hidden.next(0); docid != kNoDoc;) {
    block = term.list().find_block(docid, block);
    if (block == term.blocks()) break;
    term.enter(block);
    if (term.corrupt()) break;
    for (; docid <= term.last() && docid != kNoDoc; docid = hidden.next(docid + 1))
      count += term.docids()[term.position_of(docid)] == docid;  // a list's end is followed by kNoDoc
  }
  return count;
}

}  // namespace

std::uint64_t postings_left(TermReader& term, const engine::Plan& plan) {
  if (ShownPostings shown(plan); shown.filters()) return shown.count(term);
  return term.list().count() - (plan.hidden == nullptr ? 0 : hidden_postings(term, *plan.hidden));
}

Score first_threshold(TermReader& term, const engine::Plan& plan, ShownPostings& shown) {
  const std::uint32_t k = plan.k;
  const auto* const hidden = shown.filters() ? nullptr : plan.hidden;
  if (k == 0 || term.list().count() < k) return 0;
  // Of so many postings at least k are of documents that are not hidden.
  const std::size_t reaching = k + (plan.hidden == nullptr ? 0 : plan.hidden->count());
  if (const Score stored = reaching <= 0xffffffff ? term.stored_threshold(static_cast<std::uint32_t>(reaching)) : 0)
    return stored;
  std::vector<Score> best;  // candidates for the k best; cut() drops the rest
  best.reserve(2 * std::size_t{k} + 2 * kBlockLength);
  Score least = 0;
  const auto cut = [&] {
    std::nth_element(best.begin(), best.begin() + (k - 1), best.end(), std::greater<>());
    least = best[k - 1];
    best.resize(k);
  };
  for (const std::uint32_t block : best_blocks(term, blocks_to_try(k))) {
    if (least && term.block_bound(block) <= least) continue;
    term.enter(block);
    const auto [docids, scores, count] = shown.scored(term, 0, term.size());
    for (std::size_t i = 0; i < count; ++i)
      if (scores[i] > least && (hidden == nullptr || !hidden->contains(docids[i]))) best.push_back(scores[i]);
    if (best.size() >= 2 * std::size_t{k} + kBlockLength) cut();
  }
  if (best.size() < k) return 0;
  cut();
  return least;
}

}  // namespace frond::leaf::cpu
