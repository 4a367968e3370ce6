#include "leaf/cpu/algorithms.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "leaf/cpu/intersect_block.h"
#include "leaf/cpu/term_reader.h"
#include "leaf/cpu/threshold.h"

namespace frond::leaf::cpu {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;
constexpr std::uint64_t kNoBound = std::uint64_t{1} << 62;

// A term, and where in its list the documents of the driver's block are.
class JoinedTerm {
 public:
  JoinedTerm(const engine::Plan& plan, const engine::PlanTerm& term) : reader_(plan, term) {}
  Score bound_of(std::uint32_t block) {
    if (block != bound_block_) {
      bound_block_ = block;
      bound_ = reader_.block_bound(block);
    }
    return bound_;
  }

  // Finds the blocks that may hold documents first .. last; `first` never decreases. False: the list has ended.
  bool look(DocId first, DocId last) {
    const auto& list = reader_.list();
    const std::uint32_t from = list.find_block(first, block_ == kNone ? 0 : block_);
    if (from == list.blocks()) return false;
    stand_on(from);
    const std::uint32_t to = std::min(list.find_block(last, from), list.blocks() - 1);
    range_bound_ = reader_.bound(list.least_deficit(from, to));
    return true;
  }
  Score range_bound() const { return range_bound_; }  // of the postings of these blocks

  // Moves to the block that may hold `docid`, without decoding it. False: the list ends before `docid`.
  bool find(DocId docid) {
    if (block_ != kNone && docid <= last_) return true;
    const std::uint32_t block = reader_.list().find_block(docid, block_ == kNone ? 0 : block_ + 1);
    if (block == reader_.blocks()) return false;
    stand_on(block);
    return true;
  }
  std::uint32_t block() const { return block_; }
  DocId last() const { return last_; }  // of the current block
  TermReader& reader() { return reader_; }

  std::array<std::uint32_t, kBlockLength> postings;  // of the driver's documents, by place: block * 128 + position

 private:
  void stand_on(std::uint32_t block) {
    block_ = block;
    last_ = reader_.list().last_docid(block);
  }

  TermReader reader_;
  std::uint32_t block_ = kNone;
  DocId last_ = 0;
  Score range_bound_ = 0;
  std::uint32_t bound_block_ = kNone;
  Score bound_ = 0;
};

class Conjunction {
 public:
  // `visit` may be null; else it has the matches of an unranked plan in place of the outcome.
  Conjunction(const engine::Plan& plan, const Clock& clock, const VisitDocuments* visit = nullptr)
      : plan_(plan), clock_(clock), visit_(visit), threshold_(plan) {}
  Result<engine::Outcome> run();

 private:
  bool start_block(std::uint32_t block);
  Candidates sift(const Candidates& these, std::uint64_t bound, CandidateBuffer& kept);
  bool narrow(std::size_t t);
  void drop_hidden();
  void offer_matches(JoinedTerm& driver);
  Result<void> take_unranked();
  bool look_at_others(DocId first, DocId last);

  const engine::Plan& plan_;
  const Clock& clock_;
  const VisitDocuments* const visit_;
  Threshold threshold_;
  std::vector<JoinedTerm> terms_;         // the shortest list first
  std::uint64_t list_bounds_ = 0;         // sum over all terms
  std::uint64_t least_ = 0;               // score to reach in the driver's block; 0: every match is counted
  std::uint64_t others_ = kNoBound;       // sum of the range bounds of all terms but the driver, if they were looked at
  bool scores_ = false;                   // documents of the driver's block may be hits; else they only count
  const Score* driver_scores_ = nullptr;  // of the driver's block, by place; null: not scored
  bool more_ = true;                      // later blocks may have matches
  engine::Outcome outcome_;
  Candidates left_;  // in the driver's block
  CandidateBuffer kept_[2];
  CandidateBuffer sifted_;
};

// Finds the bounds of the other terms in blocks that may have documents first .. last. False: a list has ended.
bool Conjunction::look_at_others(DocId first, DocId last) {
  others_ = 0;
  for (std::size_t t = 1; t < terms_.size(); ++t) {
    if (!terms_[t].look(first, last)) return false;
    others_ += terms_[t].range_bound();
  }
  return true;
}

// Fills left_ with the documents of the driver's block that may be hits or must be counted. False: there are none.
bool Conjunction::start_block(std::uint32_t block) {
  auto& driver = terms_.front().reader();
  driver_scores_ = nullptr;
  const DocId first = driver.first_possible(block), last = driver.list().last_docid(block);
  if (plan_.priors != nullptr) threshold_.look_at(first, last);
  const std::uint64_t to_reach = plan_.ranked ? threshold_.least() : 0;
  least_ = outcome_.matches >= plan_.count_to ? to_reach : 0;
  scores_ = plan_.ranked && plan_.k > 0;
  others_ = kNoBound;
  if (to_reach > 0 && (scores_ || least_ > 0)) {
    if (!look_at_others(first, last)) return more_ = false;
    const Score bound = terms_.front().bound_of(block);
    scores_ = scores_ && bound + others_ >= to_reach;
    if (!scores_ && least_ > 0) {
      outcome_.exact = false;
      return false;
    }
    driver.enter(block);
    // Scoring the whole block pays if few of its documents can pass: their scores are within `room` of its bound.
    const std::uint64_t room = bound + others_ - to_reach;
    if (least_ > 0 && room * 8 <= std::uint64_t{bound} * 3) driver_scores_ = driver.scores();
  }
  driver.enter(block);
  left_ = CandidateBuffer::whole(driver.docids(), driver.size());
  if (least_ > 0) left_ = sift(left_, others_, kept_[0]);
  return left_.count > 0;
}

// Keeps the candidates that may reach least_ if all terms but the driver together give at most `bound`.
Candidates Conjunction::sift(const Candidates& these, std::uint64_t bound, CandidateBuffer& kept) {
  kept.clear();
  auto& driver = terms_.front();
  if (driver_scores_)
    kept.add_reaching(these, driver_scores_, least_ - std::min(least_, bound));
  else if (driver.bound_of(driver.reader().block()) + bound >= least_)
    return these;
  outcome_.exact &= kept.size() == these.count;
  return kept.view();
}

// Keeps the documents of left_ that the term's list holds. False: the list has ended, so no later document matches.
bool Conjunction::narrow(std::size_t t) {
  auto& term = terms_[t];
  auto& reader = term.reader();
  CandidateBuffer& kept = kept_[t % 2];
  kept.clear();
  bool more = true;
  if (const auto* const index = index_for(left_, reader)) {
    more = intersect(left_, *index, kept, scores_ ? &term.postings : nullptr);
    left_ = kept.view();
    return more;
  }
  for (std::uint32_t i = 0; i < left_.count;) {
    if (!term.find(left_.docids[i])) {
      more = false;
      break;
    }
    const std::uint32_t end = left_.end_of(i, term.last());
    Candidates run{left_.docids + i, left_.places + i, end - i};
    if (least_ > 0) run = sift(run, others_ - term.range_bound() + term.bound_of(term.block()), sifted_);
    i = end;
    if (run.count == 0) continue;
    reader.enter(term.block());
    if (reader.corrupt()) return false;
    intersect(run, reader, kept, scores_ ? &term.postings : nullptr);
  }
  left_ = kept.view();
  return more;
}

void Conjunction::drop_hidden() {
  sifted_.clear();
  sifted_.add_shown(left_, *plan_.hidden);
  left_ = sifted_.view();
}

void Conjunction::offer_matches(JoinedTerm& driver) {
  const std::uint64_t least = threshold_.least();
  const std::uint32_t block = driver.reader().block();
  const Score driver_bound = driver.bound_of(block);
  if (list_bounds_ - driver.reader().list_bound() + driver_bound < least) return;
  constexpr std::uint32_t kWorthScoring = 16;  // fewer are scored one by one
  if (least_ == 0 && least > 0 && left_.count >= kWorthScoring) driver_scores_ = driver.reader().scores();
  // Choose the documents to score first, so that their lengths are prefetched together.
  std::uint32_t chosen[kBlockLength];
  std::uint64_t rests[kBlockLength];  // that the other terms add at most
  std::size_t few = 0;
  for (std::uint32_t i = 0; i < left_.count; ++i) {
    const std::uint32_t place = left_.places[i];
    const std::uint64_t bound = driver_scores_ ? driver_scores_[place] : driver_bound;
    if (driver_scores_ && bound + others_ < least) continue;
    rests[few] = 0;
    for (std::size_t t = 1; t < terms_.size(); ++t)
      rests[few] += terms_[t].bound_of(terms_[t].postings[place] / kBlockLength);
    chosen[few] = i;
    few += bound + rests[few] >= least;
  }
  for (std::size_t c = 0; c < few; ++c) driver.reader().prefetch_length(left_.docids[chosen[c]]);
  DocId docids[kBlockLength];
  Score scores[kBlockLength];
  std::size_t count = 0;
  for (std::size_t c = 0; c < few; ++c) {
    const DocId docid = left_.docids[chosen[c]];
    const std::uint32_t place = left_.places[chosen[c]];
    Score score = driver.reader().score_of(block, place, docid);
    std::uint64_t rest = rests[c];
    for (std::size_t t = 1; t < terms_.size() && score + rest >= least; ++t) {
      const std::uint32_t posting = terms_[t].postings[place];
      rest -= terms_[t].bound_of(posting / kBlockLength);
      score += terms_[t].reader().score_of(posting / kBlockLength, posting % kBlockLength, docid);
    }
    docids[count] = docid;
    scores[count] = score;
    count += score + rest >= least;
  }
  threshold_.offer({docids, scores}, count);
}

Result<void> Conjunction::take_unranked() {
  if (visit_ != nullptr) {
    if (left_.count > 0) more_ &= FROND_TRY((*visit_)(left_.docids, left_.count));
    return {};
  }
  for (std::uint32_t i = 0; i < left_.count && outcome_.hits.size() < plan_.k; ++i)
    outcome_.hits.push_back({plan_.placement.ordinal(left_.docids[i]), 0});
  return {};
}

Result<engine::Outcome> Conjunction::run() {
  auto chosen = terms_with_postings(plan_);
  std::sort(chosen.begin(), chosen.end(),
            [](const auto* a, const auto* b) { return a->list->postings.count() < b->list->postings.count(); });
  terms_ = FROND_TRY(open_terms<JoinedTerm>(plan_, chosen));
  for (auto& term : terms_) list_bounds_ += term.reader().list_bound();
  auto& driver = terms_.front();
  for (std::uint32_t block = 0; more_ && block < driver.reader().blocks(); ++block) {
    if (block % kBlocksBetweenGlances == 0 && plan_.deadline.passed(clock_)) return deadline_passed();
    if (!start_block(block)) {
      if (driver.reader().corrupt()) return driver.reader().error();
      continue;
    }
    for (std::size_t t = 1; t < terms_.size() && left_.count > 0; ++t) {
      // Checked per term: each may decode 128 blocks for one block of the driver.
      if (plan_.deadline.passed(clock_)) return deadline_passed();
      more_ &= narrow(t);
      if (terms_[t].reader().corrupt()) return terms_[t].reader().error();
    }
    if (plan_.hidden != nullptr && left_.count > 0) drop_hidden();
    outcome_.matches += left_.count;
    if (!plan_.ranked)
      FROND_TRY(take_unranked());
    else if (left_.count > 0 && scores_)
      offer_matches(driver);
    if (driver.reader().corrupt()) return driver.reader().error();
  }
  for (auto& term : terms_) {
    if (term.reader().corrupt()) return term.reader().error();
    outcome_.postings_decoded += term.reader().postings_decoded();
  }
  if (plan_.ranked) outcome_.hits = threshold_.take();
  return std::move(outcome_);
}

}  // namespace

Result<engine::Outcome> search_conjunction(const engine::Plan& plan, const Clock& clock) {
  return Conjunction(plan, clock).run();
}

Result<std::uint64_t> visit_conjunction(const engine::Plan& plan, const Clock& clock, const VisitDocuments& visit) {
  engine::Plan unranked = plan;
  unranked.ranked = false;
  return FROND_TRY(Conjunction(unranked, clock, &visit).run()).postings_decoded;
}

}  // namespace frond::leaf::cpu
