#pragma once
// Documents with a phrase. Candidates have all its words by their lists; then the document's own sequence of words is
// looked at.
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "leaf/clauses/matchers/list_matcher.h"
#include "leaf/clauses/matchers/phrase_places.h"
#include "leaf/clauses/resolve/resolved_query.h"
#include "leaf/clauses/searched_partition.h"

namespace frond::leaf::clauses {

class PhraseMatcher final : public Matcher {
 public:
  // One list of the phrase; several of the last word.
  struct List {
    std::size_t word = 0;
    std::uint64_t hash = 0;  // partition::term_hash() of the word
    float weight = 0;        // with which `documents` scores
    std::unique_ptr<ListMatcher> documents;
  };
  // Lists that the partition lacks are not among `lists`; each word has one. Borrows the others. `lengths`, `norm`: of
  // the phrase's field, or of all text.
  PhraseMatcher(const PhraseNode& phrase, std::vector<List> lists, const SearchedPartition& partition,
                std::span<const std::uint32_t> lengths, scoring::LengthNorm norm, query::Factor boost);

  DocId next(DocId from) override;
  void restrict(DocId first, Bits& documents) override { restrict_above(first, 0, documents); }
  void restrict_above(DocId first, std::uint64_t least, Bits& documents) override;
  void score(DocId first, const Bits& documents, Scores& sums) override;
  std::uint64_t bound(DocId first) override;
  std::uint64_t estimate() const override { return estimate_; }
  // kCorrupt: a sequence was none.
  const std::optional<Error>& error() const { return error_; }

 private:
  bool bounds_phrase(const List& list) const { return phrase_.slop == 0 || list.word == 0; }
  std::uint64_t bound_by(const List& list, std::uint64_t score) const;
  void drop_below(DocId first, std::uint64_t least, Bits& candidates);
  void restrict_to_last_words(DocId first, Bits& documents);
  void look_at(DocId first, const Bits& candidates);
  std::uint32_t places_in(DocId first, std::uint32_t place, ByteView record);

  const PhraseNode& phrase_;
  std::vector<List> single_, several_;  // of words with one list, the rarest first; of the last word with several
  const SearchedPartition& partition_;
  const std::span<const std::uint32_t> lengths_;
  const scoring::LengthNorm norm_;
  const query::Factor boost_;
  std::uint64_t estimate_ = 0;
  PhrasePlaces places_;
  // Of the window at window_: documents that were looked at, those that match, and how often.
  DocId window_ = kNoDoc;
  Bits known_{}, matching_{};
  std::array<std::uint32_t, kWindow> frequencies_;
  Scores scores_;  // of one word
  struct LastWord {
    std::uint32_t place = 0, list = 0;
  };
  std::vector<LastWord> last_words_;  // of the candidates, by place
  std::optional<Error> error_;
};

}  // namespace frond::leaf::clauses
