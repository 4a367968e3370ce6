#pragma once
// The lists of a search that is led by required terms. One thread.
#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "leaf/clauses/required/joined_list.h"
#include "leaf/clauses/required/optional_lists.h"
#include "leaf/clauses/required/required_query.h"
#include "leaf/clauses/searched_partition.h"

namespace frond::leaf::clauses {

class QueryLists {
 public:
  // Borrows both.
  QueryLists(const ClausePlan& plan, const RequiredQuery& query) : plan_(plan), query_(query) {}
  // False: no document matches, since one that is required is not there. `hashes`: of the phrase's words.
  Result<bool> open(std::span<const std::uint64_t> hashes);

  // Those that all matches are in, the rarest first: it drives.
  const std::vector<JoinedList*>& required() const { return order_; }
  JoinedList& driver() const { return *order_.front(); }
  OptionalLists& optional() { return optional_; }
  std::vector<JoinedList>& excluded() { return excluded_; }
  // Whether all documents of one list, unboosted, are matches.
  bool are_those_of_the_driver() const {
    return order_.size() == 1 && !driver().in_phrase && !driver().is_boosted() && excluded_.empty();
  }
  // From now on the only optional term is required, which may drive.
  void require_the_optional();

  // Of what is required, from bounds of the lists: the sum of the terms', and of the words that bound the phrase the
  // least.
  struct Bound {
    std::uint64_t terms = 0, phrase = 0;
    std::uint64_t all() const { return terms + phrase; }
  };
  template <class BoundOfList>
  Bound bound_of_required(const BoundOfList& bound_of_list) const {
    Bound bound;
    if (query_.phrase != nullptr) bound.phrase = kNoBound;
    for (JoinedList* const one : order_) {
      if (!one->in_phrase)
        bound.terms += bound_of_list(*one);
      else if (one->bounds_phrase)
        bound.phrase = std::min<std::uint64_t>(bound.phrase, bound_of_list(*one));
    }
    return bound;
  }
  Bound range_bound() const {
    return bound_of_required([](const JoinedList& one) { return one.range_bound(); });
  }
  // Whether a document without the only optional term gives less than `least`, wherever it is.
  bool need_the_optional(std::uint64_t least) const {
    return !optional_.left_out() && optional_.lists().size() == 1 &&
           bound_of_required([](const JoinedList& one) { return one.list_bound(); }).all() < least;
  }

  // Lengths and norm, with which lists of the field score.
  const engine::Plan& of_field(std::uint32_t field);
  // kCorrupt.
  Result<void> status() const;
  std::uint64_t postings_decoded() const;

 private:
  Result<bool> add(ListNumber number, float weight, query::Factor factor, std::vector<JoinedList>& to);
  void order_by_length();

  const ClausePlan& plan_;
  const RequiredQuery& query_;
  std::map<std::uint32_t, engine::Plan> fields_;
  std::vector<JoinedList> required_, excluded_;  // have their sizes from the start, so that order_ stays valid
  OptionalLists optional_;
  std::vector<JoinedList*> order_;
};

}  // namespace frond::leaf::clauses
