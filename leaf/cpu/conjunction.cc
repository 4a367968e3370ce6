#include "leaf/cpu/conjunction.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "leaf/cpu/intersect_block.h"
#include "leaf/cpu/kernels.h"
#include "leaf/cpu/term_reader.h"
#include "leaf/cpu/threshold.h"

namespace frond::leaf::cpu {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

// A term, and where in its list it holds the documents of the driver's block.
class JoinedTerm {
 public:
  JoinedTerm(const Plan& plan, const PlanTerm& term) : reader_(plan, term) {}
  Score bound_at(std::uint32_t posting) {
    const std::uint32_t block = posting / kBlockLength;
    if (block != bound_block_) {
      bound_block_ = block;
      bound_ = reader_.block_bound(block);
    }
    return bound_;
  }
  TermReader& reader() { return reader_; }

  std::array<std::uint32_t, kBlockLength> postings;  // by place in the driver's block: block * 128 + position

 private:
  TermReader reader_;
  std::uint32_t bound_block_ = kNone;
  Score bound_ = 0;
};

class Conjunction {
 public:
  Conjunction(const Plan& plan, const Clock& clock) : plan_(plan), clock_(clock), threshold_(plan) {}
  Result<Outcome> run();

 private:
  bool narrow(JoinedTerm& term);
  void offer_matches(JoinedTerm& driver);

  const Plan& plan_;
  const Clock& clock_;
  Threshold threshold_;
  std::vector<JoinedTerm> terms_;  // the shortest list first
  std::uint64_t list_bounds_ = 0;  // sum over all terms
  Candidates left_;                // of the driver's block
  BlockTable table_;
};

// Keeps of left_ what the term's list holds. False: its list ends here, so nothing behind matches.
bool Conjunction::narrow(JoinedTerm& term) {
  auto& reader = term.reader();
  std::uint32_t kept = 0;
  bool more = true;
  for (std::uint32_t i = 0; i < left_.count;) {
    if (reader.block() == kNone || reader.last() < left_.docids[i]) {
      const std::uint32_t block =
          reader.list().find_block(left_.docids[i], reader.block() == kNone ? 0 : reader.block() + 1);
      if (block >= reader.blocks()) {
        more = false;
        break;
      }
      reader.enter(block);
      if (reader.corrupt()) return false;
    }
    const std::uint32_t end = left_.end_of(i, reader.last());
    kept = table_.intersect(left_, i, end, reader, kept, term.postings);
    i = end;
  }
  left_.count = kept;
  return more;
}

void Conjunction::offer_matches(JoinedTerm& driver) {
  const std::uint64_t least = threshold_.least();
  const std::uint32_t block = driver.reader().block();
  const Score driver_bound = driver.bound_at(block * kBlockLength);
  if (list_bounds_ - driver.reader().list_bound() + driver_bound < least) return;
  DocId docids[kBlockLength];
  Score scores[kBlockLength];
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < left_.count; ++i) {
    const std::uint32_t place = left_.places[i];
    std::uint64_t bound = driver_bound;
    for (std::size_t t = 1; t < terms_.size(); ++t) bound += terms_[t].bound_at(terms_[t].postings[place]);
    if (bound < least) continue;
    Score score = driver.reader().score_of(block, place, left_.docids[i]);
    for (std::size_t t = 1; t < terms_.size(); ++t) {
      const std::uint32_t posting = terms_[t].postings[place];
      score += terms_[t].reader().score_of(posting / kBlockLength, posting % kBlockLength, left_.docids[i]);
    }
    docids[count] = left_.docids[i];
    scores[count] = score;
    count += score >= least;
  }
  threshold_.offer({docids, scores}, count);
}

Result<Outcome> Conjunction::run() {
  auto chosen = terms_with_postings(plan_);
  std::sort(chosen.begin(), chosen.end(),
            [](const auto* a, const auto* b) { return a->list->postings.count() < b->list->postings.count(); });
  terms_ = FROND_TRY(open_terms<JoinedTerm>(plan_, chosen));
  for (auto& term : terms_) list_bounds_ += term.reader().list_bound();
  Outcome outcome;
  auto& driver = terms_.front();
  bool more = true;
  for (std::uint32_t block = 0; more && block < driver.reader().blocks(); ++block) {
    driver.reader().enter(block);
    left_.start(driver.reader().docids(), driver.reader().size());
    for (std::size_t t = 1; t < terms_.size() && left_.count > 0; ++t) {
      // A block of the driver may decode 128 of each other list.
      if (plan_.deadline.passed(clock_)) return deadline_passed();
      more &= narrow(terms_[t]);
      if (terms_[t].reader().corrupt()) return terms_[t].reader().error();
    }
    outcome.matches += left_.count;
    if (left_.count > 0 && plan_.k > 0) offer_matches(driver);
    if (driver.reader().corrupt()) return driver.reader().error();
  }
  for (auto& term : terms_) {
    if (term.reader().corrupt()) return term.reader().error();
    outcome.postings_decoded += term.reader().postings_decoded();
  }
  outcome.hits = threshold_.take();
  return outcome;
}

}  // namespace

Result<Outcome> search_conjunction(const Plan& plan, const Clock& clock) { return Conjunction(plan, clock).run(); }

}  // namespace frond::leaf::cpu
