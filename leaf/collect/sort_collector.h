#pragma once
// The k first of a partition's matches in a sort order. Documents are compared by numbers, chunk by chunk: the worst
// that is held, and the place behind which hits are wanted, get ranks among the values of each chunk (sort_place.h).
// Once k are held, whole chunks whose values cannot compete are passed over.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "common/topk/hit.h"
#include "leaf/clauses/collector.h"
#include "leaf/collect/sort_place.h"

namespace frond::leaf::collect {

// Memory: 40 bytes for each of k hits and key.
class SortCollector final : public clauses::Collector {
 public:
  // Only documents behind `after` are hits, and only those before `before`. Borrows all but these two. kInvalid:
  // `after` is no place in this order.
  static Result<SortCollector> make(const query::SortOrder& order, const schema::Schema& schema,
                                    const clauses::ClausePlan& plan, const std::optional<query::SortPosition>& after,
                                    const std::optional<query::SortPosition>& before);

  std::uint64_t narrow(DocId first, Bits& documents) override;
  Result<void> take(DocId first, const Bits& documents, clauses::Matcher& root) override;
  bool needs_scores() const override { return needs_scores_; }
  // The first comes first; none behind the one with which they have more than max_bytes. Once, last.
  void finish(std::size_t max_bytes, std::vector<topk::Hit>& hits, std::vector<std::string>& sort_bytes);

 private:
  // A place in the order.
  struct Limit {
    std::vector<SortPart> parts;
    std::vector<std::string> words;  // of `parts`, unless they lie in the partition
    Ordinal ordinal = 0;
    std::array<SortRank, query::kMaxSortKeys> ranks = {};  // in the chunk that is looked at
  };

  SortCollector(const query::SortOrder& order, const schema::Schema& schema, const clauses::ClausePlan& plan);
  Result<Limit> limit_at(const query::SortPosition& position, const query::SortOrder& order,
                         const schema::Schema& schema) const;
  void look_at(DocId first);
  void rank(Limit& limit) const;
  struct Ranks {
    SortRank low{Presence::kMissingFirst, 0}, high{Presence::kMissingLast, ~std::uint64_t{0}};
  };
  Ranks possible_ranks() const;
  bool may_have(DocId first, const Ranks& ranks) const;
  std::uint64_t least_score(DocId first) const;
  SortRank rank_of(std::size_t key, DocId docid) const;
  scoring::Score score_of(DocId docid) const;
  bool is_before(DocId docid, const Limit& limit, bool otherwise) const;
  bool comes_first(std::uint32_t a, std::uint32_t b) const;
  void keep_in_range(Bits& documents) const;
  void keep(DocId docid);

  const engine::Plan& plan_;
  std::vector<PlacedKey> keys_;
  bool needs_scores_ = false;
  std::unique_ptr<clauses::Scores> sums_;
  DocId window_ = kNoDoc;
  std::optional<Limit> after_, before_;  // before_: the worst that is held, once k are
  bool before_changed_ = false;          // since documents of the window were left out by it
  // By slot; heap_ has the slots, the worst at its front.
  std::vector<SortPart> parts_;  // keys_.size() for each
  std::vector<topk::Hit> held_;
  std::vector<std::uint32_t> heap_;
};

}  // namespace frond::leaf::collect
