// OR: MaxScore over windows of documents.
#include "leaf/cpu/algorithms.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "leaf/cpu/kernels.h"
#include "leaf/cpu/term_reader.h"
#include "leaf/cpu/threshold.h"
#include "leaf/cpu/window_sums.h"

namespace frond::leaf::cpu {
namespace {

constexpr DocId kWindow = WindowSums::kWindow;

class Disjunction {
 public:
  Disjunction(const engine::Plan& plan, const Clock& clock)
      : plan_(plan), clock_(clock), threshold_(plan), shown_(plan) {}
  Result<engine::Outcome> run();

 private:
  void start();
  bool look(DocId begin);
  void split(std::uint64_t least);
  void count_window(DocId begin, DocId end);
  void sum_window(DocId begin, DocId end);
  void add_term(WindowTerm& term, DocId begin, DocId end);
  void walk_single(DocId begin, DocId end);
  void finish_documents(std::size_t count);
  std::size_t look_up(WindowTerm& term, std::size_t count, std::uint64_t least, std::uint64_t others);
  void add_indexed(TermReader& term, std::size_t count, std::uint64_t least, std::uint64_t others);
  template <class Visit>
  void for_each_block(WindowTerm& term, DocId begin, DocId end, Visit visit);

  const engine::Plan& plan_;
  const Clock& clock_;
  Threshold threshold_;
  ShownPostings shown_;
  std::vector<WindowTerm> terms_;
  std::vector<WindowTerm*> order_;     // terms with postings left, by bound in the window, lowest first
  std::vector<std::uint64_t> prefix_;  // prefix_[i]: sum of the bounds of order_[0 .. i)
  std::size_t essential_ = 0;          // order_[essential_ ..) are the essential terms
  DocId reach_ = 0;                    // the window's bounds hold for documents below this
  std::uint64_t counted_ = 0;
  bool pruned_ = false;
  WindowSums sums_;
  std::array<DocId, kWindow + kSelectSlack> docids_;  // of the documents that may be hits
  std::array<Score, kWindow + kSelectSlack> scores_;
};

void Disjunction::start() {
  for (auto& term : terms_) order_.push_back(&term);
  prefix_.resize(terms_.size() + 1);
  // Highest list bound first: later terms seldom raise the threshold that it gives.
  std::sort(order_.begin(), order_.end(),
            [](const auto* a, const auto* b) { return a->reader().list_bound() > b->reader().list_bound(); });
  for (auto* term : order_) {
    if (term->reader().list_bound() <= threshold_.least()) break;
    threshold_.start_at(first_threshold(term->reader(), plan_, shown_));
  }
}

// Finds the terms' bounds in the window at `begin` and drops terms whose lists have ended. False: none is left.
bool Disjunction::look(DocId begin) {
  const auto end = static_cast<DocId>(std::min<std::uint64_t>(std::uint64_t{begin} + kWindow, plan_.lengths.size()));
  reach_ = static_cast<DocId>(plan_.lengths.size());
  for (std::size_t i = 0; i < order_.size();) {
    if (!order_[i]->look(begin, end)) {
      order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    reach_ = std::min(reach_, order_[i]->reach());
    ++i;
  }
  return !order_.empty();
}

void Disjunction::split(std::uint64_t least) {
  // An insertion sort, as the order changes little from one window to the next.
  for (std::size_t i = 1; i < order_.size(); ++i)
    for (std::size_t j = i; j > 0 && order_[j]->bound() < order_[j - 1]->bound(); --j)
      std::swap(order_[j], order_[j - 1]);
  for (std::size_t i = 0; i < order_.size(); ++i) prefix_[i + 1] = prefix_[i] + order_[i]->bound();
  essential_ = 0;
  while (essential_ < order_.size() && prefix_[essential_ + 1] < least) ++essential_;
}

// Calls visit(from, to) for each block with postings in [begin, end): they are at [from, to) of the reader's block.
template <class Visit>
void Disjunction::for_each_block(WindowTerm& term, DocId begin, DocId end, Visit visit) {
  auto& reader = term.reader();
  for (std::uint32_t block = term.first_block(); block < reader.blocks(); ++block) {
    const DocId first = std::max(begin, reader.first_possible(block)), last = reader.list().last_docid(block);
    if (first >= end) return;
    if (!shown_.any(first, std::min(last, end - 1))) continue;
    reader.enter(block);
    if (reader.size() == 0) return;
    const std::uint32_t from = block == term.first_block() ? reader.position_of(begin) : 0;
    const bool whole = reader.last() < end;
    const std::uint32_t to = whole ? reader.size() : reader.position_of(end);
    if (from < to) visit(from, to);
    if (!whole) return;
  }
}

void Disjunction::add_term(WindowTerm& term, DocId begin, DocId end) {
  for_each_block(term, begin, end, [&](std::uint32_t from, std::uint32_t to) {
    sums_.add(shown_.scored(term.reader(), from, to), begin);
  });
}

// Without a threshold every document counts, also with a score of 0.
void Disjunction::count_window(DocId begin, DocId end) {
  for (auto* term : order_) add_term(*term, begin, end);
  std::size_t count = sums_.take(begin, 0, {docids_.data(), scores_.data()});
  if (plan_.hidden != nullptr && !shown_.filters())
    count = drop_hidden(*plan_.hidden, {docids_.data(), scores_.data()}, count);
  counted_ += count;
  threshold_.offer({docids_.data(), scores_.data()}, count);
}

void Disjunction::sum_window(DocId begin, DocId end) {
  for (std::size_t t = essential_; t < order_.size(); ++t) add_term(*order_[t], begin, end);
  const auto least = static_cast<Score>(threshold_.least() - prefix_[essential_]);
  finish_documents(sums_.take(begin, least, {docids_.data(), scores_.data()}));
}

// With one essential list its postings are the documents, and there is nothing to add up.
void Disjunction::walk_single(DocId begin, DocId end) {
  auto& term = *order_.back();
  auto& reader = term.reader();
  for (std::uint32_t block = term.first_block(); block < reader.blocks(); ++block) {
    const DocId last = reader.list().last_docid(block);
    const std::uint64_t least = threshold_.least(), others = prefix_[essential_];  // split() made least > others
    if (reader.block_bound(block) + others >= least &&
        shown_.any(std::max(begin, reader.first_possible(block)), std::min(last, end - 1))) {
      reader.enter(block);
      const auto [docids, scores, count] = shown_.scored(reader, reader.position_of(begin), reader.position_of(end));
      const auto kept =
          select(docids, scores, count, static_cast<Score>(least - others), {docids_.data(), scores_.data()});
      if (kept) finish_documents(kept);
    }
    if (last >= end - 1) return;
  }
}

// Adds the non-essential terms to the first `count` documents and offers those that can be hits.
void Disjunction::finish_documents(std::size_t count) {
  const std::uint64_t least = threshold_.least();
  for (std::size_t t = essential_; t > 0 && count > 0; --t)
    count = look_up(*order_[t - 1], count, least, prefix_[t - 1]);
  threshold_.offer({docids_.data(), scores_.data()}, count);
}

// Adds the term's contributions. Keeps the documents that reach `least` if other terms add `others`; returns how many.
std::size_t Disjunction::look_up(WindowTerm& term, std::size_t count, std::uint64_t least, std::uint64_t others) {
  std::size_t kept = 0;
  if (term.reader().index() != nullptr) {
    add_indexed(term.reader(), count, least, others);
    return select(docids_.data(), scores_.data(), count, static_cast<Score>(least - std::min(least, others)),
                  {docids_.data(), scores_.data()});
  }
  for (std::size_t i = 0; i < count;) {
    // The documents that one block of the list may hold. No branch on which of them are kept: it can't be predicted.
    const Score bound = term.bound_at(docids_[i]);
    const DocId last = term.bound_last();
    std::size_t run = kept;
    for (; i < count && docids_[i] <= last; ++i) {
      docids_[run] = docids_[i];
      scores_[run] = scores_[i];
      run += scores_[run] + others + bound >= least;
    }
    if (run == kept) continue;
    if (bound) term.add_scores({docids_.data() + kept, scores_.data() + kept}, run - kept);
    for (std::size_t j = kept; j < run; ++j) {
      docids_[kept] = docids_[j];
      scores_[kept] = scores_[j];
      kept += scores_[kept] + others >= least;
    }
  }
  return kept;
}

// The same without decoding a block's docIDs: the contributions to those that can reach `least` with them.
void Disjunction::add_indexed(TermReader& term, std::size_t count, std::uint64_t least, std::uint64_t others) {
  std::array<std::uint32_t, kBlockLength + 1> found, postings;
  for (std::size_t begin = 0; begin < count; begin += kBlockLength) {
    const std::span docids(docids_.data() + begin, std::min<std::size_t>(kBlockLength, count - begin));
    const std::size_t there = find_in_buckets(*term.index(), docids, found.data(), postings.data());
    for (std::size_t i = 0; i < there; ++i) {
      const std::uint32_t block = postings[i] / kBlockLength;
      Score& score = scores_[begin + found[i]];
      if (score + others + term.block_bound(block) >= least)
        score += term.score_of(block, postings[i] % kBlockLength, docids[found[i]]);
    }
  }
}

Result<engine::Outcome> Disjunction::run() {
  terms_ = FROND_TRY(open_terms<WindowTerm>(plan_, terms_with_postings(plan_)));
  start();
  std::uint64_t longest = 0;
  for (const auto& term : terms_) longest = std::max(longest, term.reader().list().count());
  longest = engine::least_matches(plan_, longest);
  const auto documents = static_cast<DocId>(plan_.lengths.size());
  for (DocId begin = 0; begin < documents && look(begin);) {
    DocId end = static_cast<DocId>(std::min<std::uint64_t>(std::uint64_t{begin} + kWindow, documents));
    if (!shown_.any(begin, end - 1)) {
      begin = end;
      continue;
    }
    threshold_.look_at(begin, end - 1);
    const std::uint64_t least = threshold_.least();
    if (least > 0) pruned_ = true;
    split(least);
    // `least` is not known beyond the window where documents have priors.
    if (essential_ + 1 >= order_.size() && least > 0 && plan_.priors == nullptr) end = std::max(end, reach_);
    if (essential_ < order_.size()) {
      if (plan_.deadline.passed(clock_)) return deadline_passed();
      if (least == 0)
        count_window(begin, end);
      else if (essential_ + 1 == order_.size())
        walk_single(begin, end);
      else
        sum_window(begin, end);
      for (const auto& term : terms_)
        if (term.reader().corrupt()) return term.reader().error();
    }
    begin = end;
  }
  engine::Outcome outcome;
  outcome.hits = threshold_.take();
  outcome.exact = !pruned_;
  outcome.matches = pruned_ ? std::max<std::uint64_t>({counted_, longest, outcome.hits.size()}) : counted_;
  for (const auto& term : terms_) outcome.postings_decoded += term.reader().postings_decoded();
  return outcome;
}

}  // namespace

Result<engine::Outcome> search_disjunction(const engine::Plan& plan, const Clock& clock) {
  return Disjunction(plan, clock).run();
}

}  // namespace frond::leaf::cpu
