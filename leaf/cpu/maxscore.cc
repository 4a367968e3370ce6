#include "leaf/cpu/maxscore.h"

#include <algorithm>
#include <vector>

#include "leaf/cpu/document_at_a_time.h"

namespace frond::leaf::cpu {
namespace {

class MaxScore {
 public:
  MaxScore(const engine::Plan& plan, const Clock& clock, bool block_bounds)
      : search_(plan, clock), block_bounds_(block_bounds) {
    for (const auto& cursor : search_.cursors()) order_.push_back(cursor.get());
    std::sort(order_.begin(), order_.end(),
              [](const auto* a, const auto* b) { return a->list_bound() < b->list_bound(); });
    prefix_.resize(order_.size() + 1);
    for (std::size_t i = 0; i < order_.size(); ++i) prefix_[i + 1] = prefix_[i] + order_[i]->list_bound();
  }
  Result<engine::Outcome> run();

 private:
  bool look_up(DocId document, std::uint64_t& score, std::uint64_t least);

  DocumentAtATime search_;
  const bool block_bounds_;
  std::vector<ScoredCursor*> order_;   // by list bound, lowest first
  std::vector<std::uint64_t> prefix_;  // prefix_[i]: sum of the bounds of order_[0 .. i)
  std::size_t essential_ = 0;          // order_[essential_ ..) are the essential lists
};

// Adds the contributions of the non-essential lists. False: the document can't reach `least`.
bool MaxScore::look_up(DocId document, std::uint64_t& score, std::uint64_t least) {
  std::uint64_t others = prefix_[essential_];
  if (block_bounds_) {
    others = 0;
    for (std::size_t i = 0; i < essential_; ++i) others += order_[i]->block_bound(document);
  }
  for (std::size_t i = essential_; i-- > 0;) {
    if (score + others < least) return false;
    ScoredCursor& cursor = *order_[i];
    others -= block_bounds_ ? cursor.block_bound(document) : cursor.list_bound();
    cursor.next_geq(document);
    if (cursor.docid() == document) score += cursor.score();
  }
  return score >= least;
}

Result<engine::Outcome> MaxScore::run() {
  FROND_TRY(search_.opened());
  for (;;) {
    if (search_.late()) return deadline_passed();
    const std::uint64_t least = search_.least();
    while (essential_ < order_.size() && prefix_[essential_ + 1] < least) ++essential_;
    DocId document = kNoDoc;
    for (std::size_t i = essential_; i < order_.size(); ++i) document = std::min(document, order_[i]->docid());
    if (document == kNoDoc) return search_.finish();
    std::uint64_t score = 0;
    for (std::size_t i = essential_; i < order_.size(); ++i) {
      if (order_[i]->docid() != document) continue;
      score += order_[i]->score();
      order_[i]->next();
    }
    if (look_up(document, score, least)) search_.offer(document, static_cast<Score>(score));
  }
}

}  // namespace

Result<engine::Outcome> search_maxscore(const engine::Plan& plan, const Clock& clock) {
  return MaxScore(plan, clock, false).run();
}
Result<engine::Outcome> search_block_max_maxscore(const engine::Plan& plan, const Clock& clock) {
  return MaxScore(plan, clock, true).run();
}

}  // namespace frond::leaf::cpu
