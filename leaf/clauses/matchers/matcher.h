#pragma once
// One node of a query at work in one partition, a window of documents at a time.
//
// A window is kWindow documents from a multiple of kWindow on; sets of its documents are bits. Windows come in
// ascending order, some are left out, and within one window the functions may be called in any order, often. Sets of a
// partition's last window have no bits past its last document.
//
// Work is done in loops over whole blocks of lists and words of bits, so that a virtual call is one for a window. What
// is rare leads: it leaves few documents, for which others are looked up one by one instead.
//
// One thread. A list that does not decode has no postings from then on; whoever made the matchers asks for it once, at
// the end.
#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include "common/base/ids.h"
#include "common/query/factor.h"
#include "common/scoring/prior.h"

namespace frond::leaf::clauses {

using scoring::Score;

inline constexpr std::uint32_t kWindow = 4096;
using Bits = std::array<std::uint64_t, kWindow / 64>;
using Scores = std::array<Score, kWindow>;

inline bool none(const Bits& bits) {
  std::uint64_t any = 0;
  for (const std::uint64_t word : bits) any |= word;
  return any == 0;
}
inline std::uint32_t count(const Bits& bits) {
  int count = 0;
  for (const std::uint64_t word : bits) count += std::popcount(word);
  return static_cast<std::uint32_t>(count);
}
inline bool has(const Bits& bits, std::uint32_t place) { return (bits[place / 64] >> place % 64 & 1) != 0; }
inline void set(Bits& bits, std::uint32_t place) { bits[place / 64] |= std::uint64_t{1} << place % 64; }
inline void keep(Bits& bits, const Bits& others) {
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= others[i];
}
inline void remove(Bits& bits, const Bits& others) {
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= ~others[i];
}
inline void insert(Bits& bits, const Bits& others) {
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] |= others[i];
}
// Whether there is any from `from` to `to`, both included.
inline bool any_between(const Bits& bits, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t i = from / 64; i <= to / 64; ++i) {
    std::uint64_t word = bits[i];
    if (i == from / 64) word &= ~std::uint64_t{0} << from % 64;
    if (i == to / 64) word &= ~std::uint64_t{0} >> (63 - to % 64);
    if (word != 0) return true;
  }
  return false;
}
// Calls visit(place) for each, ascending; bits of places visited already may change meanwhile.
template <class Visit>
void for_each(const Bits& bits, const Visit& visit) {
  for (std::uint32_t i = 0; i < bits.size(); ++i)
    for (std::uint64_t word = bits[i]; word != 0; word &= word - 1)
      visit(i * 64 + static_cast<std::uint32_t>(std::countr_zero(word)));
}

inline Score capped(std::uint64_t score) {
  return score < scoring::kMaxScore ? static_cast<Score>(score) : scoring::kMaxScore;
}
inline void add(Score& sum, std::uint64_t score) { sum = capped(sum + score); }
// A Score times a factor of at most query::kMaxBoost.
inline Score times(std::uint64_t score, query::Factor factor) {
  return capped(capped(score) * std::uint64_t{factor.units} / query::Factor::kOne);
}

class Matcher {
 public:
  virtual ~Matcher() = default;
  // No document from `from` on that is before the result matches; kNoDoc: none does. `from` is behind all windows so
  // far.
  virtual DocId next(DocId from) = 0;
  // Takes those out of `documents` that do not match.
  virtual void restrict(DocId first, Bits& documents) = 0;
  // The same; may also take out documents whose score is below `least`.
  virtual void restrict_above(DocId first, std::uint64_t /*least*/, Bits& documents) { restrict(first, documents); }
  // Adds its score to the sums of `documents`, all of which match.
  virtual void score(DocId first, const Bits& documents, Scores& sums) = 0;
  // The same to those that match.
  virtual void score_matching(DocId first, const Bits& documents, Scores& sums) {
    Bits matching = documents;
    restrict(first, matching);
    if (!none(matching)) score(first, matching, sums);
  }
  // No document of the window has a higher score.
  virtual std::uint64_t bound(DocId first) = 0;
  // About how many documents match.
  virtual std::uint64_t estimate() const = 0;
};
using MatcherPtr = std::unique_ptr<Matcher>;

}  // namespace frond::leaf::clauses
