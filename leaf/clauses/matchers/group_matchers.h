#pragma once
// Nodes with nodes inside them.
#include <memory>
#include <vector>

#include "leaf/clauses/matchers/matcher.h"

namespace frond::leaf::clauses {

class BoolMatcher final : public Matcher {
 public:
  struct Parts {
    std::vector<MatcherPtr> must, should, must_not, filter;
    std::size_t minimum = 0;
  };
  // `documents`: of the partition.
  BoolMatcher(Parts parts, query::Factor boost, std::uint32_t documents);

  DocId next(DocId from) override;
  void restrict(DocId first, Bits& documents) override { restrict_above(first, 0, documents); }
  void restrict_above(DocId first, std::uint64_t least, Bits& documents) override;
  void score(DocId first, const Bits& documents, Scores& sums) override;
  std::uint64_t bound(DocId first) override;
  std::uint64_t estimate() const override { return estimate_; }

 private:
  std::uint64_t sum_of_bounds(DocId first) const;
  void restrict_to_one(DocId first, std::uint64_t least, Bits& documents);
  void restrict_to_some(DocId first, Bits& documents);

  Parts parts_;
  const query::Factor boost_;
  const std::uint32_t documents_;
  struct Required {
    Matcher* matcher;
    bool scores;
  };
  std::vector<Required> required_;  // of must and filter, the rarest first
  std::uint64_t estimate_ = 0;
  std::unique_ptr<Scores> own_;                                   // of a boosted one
  std::unique_ptr<std::array<std::uint32_t, kWindow>> counters_;  // of a minimum above one
};

class MaxMatcher final : public Matcher {
 public:
  MaxMatcher(std::vector<MatcherPtr> of, query::Factor tie_breaker, query::Factor boost);

  DocId next(DocId from) override;
  void restrict(DocId first, Bits& documents) override;
  void score(DocId first, const Bits& documents, Scores& sums) override;
  std::uint64_t bound(DocId first) override;
  std::uint64_t estimate() const override;

 private:
  const std::vector<MatcherPtr> of_;
  const query::Factor tie_breaker_, boost_;
  std::unique_ptr<Scores> one_, best_;
  std::unique_ptr<std::array<std::uint64_t, kWindow>> all_;  // sums of scores
};

class ConstantMatcher final : public Matcher {
 public:
  ConstantMatcher(MatcherPtr of, Score score) : of_(std::move(of)), score_(score) {}
  DocId next(DocId from) override { return of_->next(from); }
  void restrict(DocId first, Bits& documents) override { of_->restrict(first, documents); }
  void score(DocId, const Bits& documents, Scores& sums) override {
    for_each(documents, [&](std::uint32_t place) { add(sums[place], score_); });
  }
  std::uint64_t bound(DocId) override { return score_; }
  std::uint64_t estimate() const override { return of_->estimate(); }

 private:
  const MatcherPtr of_;
  const Score score_;
};

}  // namespace frond::leaf::clauses
