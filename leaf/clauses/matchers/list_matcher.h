#pragma once
// Documents of one posting list.
#include "common/query/factor.h"
#include "leaf/clauses/matchers/matcher.h"
#include "leaf/cpu/term_reader.h"

namespace frond::leaf::clauses {

// How its postings score.
struct ListScoring {
  enum class Kind : std::uint8_t { kNone, kBm25 };
  Kind kind = Kind::kNone;
  query::Factor factor;
  bool has_bounds = false;  // the list's deficits are those of the lengths that the reader has
};

class ListMatcher final : public Matcher {
 public:
  // Borrows all that TermReader does. The list is not empty.
  ListMatcher(const engine::Plan& plan, const engine::PlanTerm& term, ListScoring scoring)
      : reader_(plan, term), scoring_(scoring), weight_(term.weight) {}

  DocId next(DocId from) override;
  void restrict(DocId first, Bits& documents) override { restrict_above(first, 0, documents); }
  // Passes over blocks whose bounds are below `least`.
  void restrict_above(DocId first, std::uint64_t least, Bits& documents) override;
  void score(DocId first, const Bits& documents, Scores& sums) override { score_matching(first, documents, sums); }
  void score_matching(DocId first, const Bits& documents, Scores& sums) override;
  std::uint64_t bound(DocId first) override;
  std::uint64_t estimate() const override { return reader_.list().count(); }
  const cpu::TermReader& reader() const { return reader_; }

 private:
  void look_at(DocId first);
  std::uint64_t bound_of(scoring::PackedDeficit deficit) const {
    return times(reader_.bound(deficit), scoring_.factor);
  }
  std::uint32_t blocks_here() const { return end_ - begin_; }
  Score score_of(std::uint64_t score) const {
    return scoring_.factor.units == query::Factor::kOne ? static_cast<Score>(score) : times(score, scoring_.factor);
  }
  // Calls visit(place, block, position) for each of `documents` that the list has, looked up one by one.
  template <class Visit>
  void look_up(DocId first, const Bits& documents, const Visit& visit);
  // Calls visit(from, to) in each block that is wanted(block, from, to), by places of the window: the positions that
  // lie in the window.
  template <class Wanted, class Visit>
  void for_each_block(DocId first, const Wanted& wanted, const Visit& visit);

  cpu::TermReader reader_;
  const ListScoring scoring_;
  const float weight_;
  // Of the window at window_: its blocks.
  DocId window_ = kNoDoc;
  std::uint32_t begin_ = 0, end_ = 0;
};

}  // namespace frond::leaf::clauses
