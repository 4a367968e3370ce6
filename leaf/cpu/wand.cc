#include "leaf/cpu/wand.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "leaf/cpu/document_at_a_time.h"

namespace frond::leaf::cpu {
namespace {

class Wand {
 public:
  Wand(const engine::Plan& plan, const Clock& clock, bool block_bounds)
      : search_(plan, clock), block_bounds_(block_bounds) {
    for (const auto& cursor : search_.cursors()) order_.push_back(cursor.get());
    std::sort(order_.begin(), order_.end(), [](const auto* a, const auto* b) { return a->docid() < b->docid(); });
  }
  Result<engine::Outcome> run();

 private:
  std::size_t find_pivot(std::uint64_t least) const;
  bool blocks_reach(std::size_t pivot, std::uint64_t least);
  void score_pivot(DocId document);
  void skip_blocks(std::size_t pivot);
  void advance_one(std::size_t end, DocId target);
  void sink(std::size_t from);

  DocumentAtATime search_;
  const bool block_bounds_;
  std::vector<ScoredCursor*> order_;  // by the document under the cursor
};

// The index of the last cursor on the pivot; order_.size(): no document can reach `least`.
std::size_t Wand::find_pivot(std::uint64_t least) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < order_.size() && order_[i]->docid() != kNoDoc; ++i) {
    sum += order_[i]->list_bound();
    if (sum < least) continue;
    while (i + 1 < order_.size() && order_[i + 1]->docid() == order_[i]->docid()) ++i;
    return i;
  }
  return order_.size();
}

bool Wand::blocks_reach(std::size_t pivot, std::uint64_t least) {
  const DocId document = order_[pivot]->docid();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i <= pivot; ++i) sum += order_[i]->block_bound(document);
  return sum >= least;
}

// All cursors up to the pivot are on `document`.
void Wand::score_pivot(DocId document) {
  Score score = 0;
  std::size_t there = 0;
  for (; there < order_.size() && order_[there]->docid() == document; ++there) {
    score += order_[there]->score();
    order_[there]->next();
  }
  search_.offer(document, score);
  for (std::size_t i = there; i-- > 0;) sink(i);
}

// Skips to the first end of these blocks, or to the next list's document: no document before can be a hit.
void Wand::skip_blocks(std::size_t pivot) {
  DocId target = pivot + 1 < order_.size() ? order_[pivot + 1]->docid() : kNoDoc;
  for (std::size_t i = 0; i <= pivot; ++i) {
    const DocId last = order_[i]->block_last();
    if (last < kNoDoc) target = std::min(target, last + 1);
  }
  advance_one(pivot + 1, std::max(target, order_[pivot]->docid() + 1));
}

// Of the first `end` cursors, moves one that is before `target`: the one with the highest bound, which skips most.
void Wand::advance_one(std::size_t end, DocId target) {
  std::size_t chosen = end;
  for (std::size_t i = 0; i < end; ++i)
    if (order_[i]->docid() < target && (chosen == end || order_[i]->list_bound() > order_[chosen]->list_bound()))
      chosen = i;
  order_[chosen]->next_geq(target);
  sink(chosen);
}

// Restores the order after order_[from] moved forward.
void Wand::sink(std::size_t from) {
  for (std::size_t i = from; i + 1 < order_.size() && order_[i + 1]->docid() < order_[i]->docid(); ++i)
    std::swap(order_[i], order_[i + 1]);
}

Result<engine::Outcome> Wand::run() {
  FROND_TRY(search_.opened());
  for (;;) {
    if (search_.late()) return deadline_passed();
    const std::uint64_t least = search_.least();
    const std::size_t pivot = find_pivot(least);
    if (pivot == order_.size()) return search_.finish();
    const DocId document = order_[pivot]->docid();
    if (block_bounds_ && !blocks_reach(pivot, least))
      skip_blocks(pivot);
    else if (order_[0]->docid() == document)
      score_pivot(document);
    else
      advance_one(pivot + 1, document);
  }
}

}  // namespace

Result<engine::Outcome> search_wand(const engine::Plan& plan, const Clock& clock) {
  return Wand(plan, clock, false).run();
}
Result<engine::Outcome> search_block_max_wand(const engine::Plan& plan, const Clock& clock) {
  return Wand(plan, clock, true).run();
}

}  // namespace frond::leaf::cpu
