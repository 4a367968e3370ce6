#pragma once
// The k best hits seen so far, in a bounded heap, the merge of several such lists, and the order of mode `auto`.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "common/topk/hit.h"

namespace frond::topk {

// One thread. offer() may be called in any order of documents.
class TopK {
 public:
  explicit TopK(std::size_t k) : k_(k) { heap_.reserve(k); }

  // True if the hit is among the k best so far.
  bool offer(Hit hit) {
    if (heap_.size() < k_) {
      heap_.push_back(hit);
      std::push_heap(heap_.begin(), heap_.end(), better);
      return true;
    }
    if (k_ == 0 || !better(hit, heap_.front())) return false;
    // It takes the place of the worst and sinks: half of what taking one out and putting the other in would compare.
    std::size_t at = 0;
    for (std::size_t child = 1; child < k_; child = 2 * at + 1) {
      if (child + 1 < k_ && better(heap_[child], heap_[child + 1])) ++child;
      if (!better(hit, heap_[child])) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = hit;
    return true;
  }
  bool full() const { return heap_.size() == k_; }
  // The score that a document needs to enter, if documents come in ascending ordinal, so that a tie with the k-th
  // loses. 0 while not full: then any document enters.
  Score entry() const { return full() ? (k_ ? heap_.front().score + 1 : ~Score{0}) : 0; }
  // Best first; empties this.
  std::vector<Hit> take() {
    std::sort_heap(heap_.begin(), heap_.end(), better);
    return std::move(heap_);
  }

 private:
  std::size_t k_;
  std::vector<Hit> heap_;  // the worst of the kept is at the front
};

// The k best of several lists, each best first. Looks at the head of each list for each hit: lists are few.
inline std::vector<Hit> merge(std::span<const std::vector<Hit>> lists, std::size_t k) {
  std::vector<std::span<const Hit>> left;
  left.reserve(lists.size());
  std::size_t hits = 0;
  for (const auto& list : lists) {
    if (!list.empty()) left.emplace_back(list);
    hits += list.size();
  }
  std::vector<Hit> best;
  best.reserve(std::min(k, hits));
  while (best.size() < k && !left.empty()) {
    const auto next = std::min_element(left.begin(), left.end(),
                                       [](const auto& a, const auto& b) { return better(a.front(), b.front()); });
    best.push_back(next->front());
    *next = next->subspan(1);
    if (!next->empty()) continue;
    *next = left.back();
    left.pop_back();
  }
  return best;
}

// The order of mode `auto`: `ranking` has the documents with all words; appends those of `others` that it does not
// have, in their order, up to `depth` in all. `hit_of` makes a Hit of a T.
template <class T, class HitOf = std::identity>
void append_others(std::vector<T>& ranking, std::span<const T> others, std::size_t depth, HitOf hit_of = {}) {
  const auto ordinal_of = [&](const T& one) { return std::invoke(hit_of, one).ordinal; };
  std::vector<Ordinal> known(ranking.size());
  std::transform(ranking.begin(), ranking.end(), known.begin(), ordinal_of);
  std::sort(known.begin(), known.end());
  for (const T& one : others) {
    if (ranking.size() >= depth) return;
    if (!std::binary_search(known.begin(), known.end(), ordinal_of(one))) ranking.push_back(one);
  }
}

}  // namespace frond::topk
