#include "leaf/clauses/group_matchers.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace frond::leaf::clauses {
namespace {

// Those of `documents` that any of them matches.
void restrict_to_any(const std::vector<MatcherPtr>& matchers, DocId first, Bits& documents) {
  Bits left = documents;
  for (const MatcherPtr& one : matchers) {
    Bits found = left;
    one->restrict(first, found);
    remove(left, found);
    if (none(left)) return;
  }
  remove(documents, left);
}

DocId first_of_any(const std::vector<MatcherPtr>& matchers, DocId from) {
  DocId first = kNoDoc;
  for (const MatcherPtr& one : matchers) first = std::min(first, one->next(from));
  return first;
}

}  // namespace

BoolMatcher::BoolMatcher(Parts parts, query::Factor boost, std::uint32_t documents)
    : parts_(std::move(parts)), boost_(boost), documents_(documents) {
  if (parts_.minimum != 0 && parts_.minimum == parts_.should.size()) {
    std::ranges::move(parts_.should, std::back_inserter(parts_.must));
    parts_.should.clear();
    parts_.minimum = 0;
  }
  for (const auto* some : {&parts_.must, &parts_.filter})
    for (const MatcherPtr& one : *some) required_.push_back(one.get());
  std::ranges::stable_sort(required_, {}, &Matcher::estimate);
  std::ranges::stable_sort(parts_.should, std::greater<>(), &Matcher::estimate);
  estimate_ = documents;
  if (!required_.empty()) {
    estimate_ = required_.front()->estimate();
  } else if (parts_.minimum != 0) {
    std::uint64_t sum = 0;
    for (const MatcherPtr& one : parts_.should) sum += one->estimate();
    estimate_ = std::min(estimate_, sum);
  }
  if (boost_ != query::Factor()) own_ = std::make_unique<Scores>();
  if (parts_.minimum > 1) counters_ = std::make_unique<std::array<std::uint32_t, kWindow>>();
}

DocId BoolMatcher::next(DocId from) {
  DocId at = from < documents_ ? from : kNoDoc;
  for (Matcher* const one : required_) {
    if (at == kNoDoc) return kNoDoc;
    at = one->next(at);
  }
  if (at == kNoDoc || parts_.minimum == 0) return at;
  return first_of_any(parts_.should, at);
}

void BoolMatcher::restrict(DocId first, Bits& documents) {
  for (Matcher* const one : required_) {
    one->restrict(first, documents);
    if (none(documents)) return;
  }
  if (parts_.minimum == 1)
    restrict_to_any(parts_.should, first, documents);
  else if (parts_.minimum > 1)
    restrict_to_some(first, documents);
  for (const MatcherPtr& one : parts_.must_not) {
    if (none(documents)) return;
    Bits out = documents;
    one->restrict(first, out);
    remove(documents, out);
  }
}

void BoolMatcher::restrict_to_some(DocId first, Bits& documents) {
  auto& counters = *counters_;
  for_each(documents, [&](std::uint32_t place) { counters[place] = 0; });
  for (const MatcherPtr& one : parts_.should) {
    Bits found = documents;
    one->restrict(first, found);
    for_each(found, [&](std::uint32_t place) { ++counters[place]; });
  }
  Bits enough{};
  for_each(documents, [&](std::uint32_t place) {
    if (counters[place] >= parts_.minimum) set(enough, place);
  });
  documents = enough;
}

void BoolMatcher::score(DocId first, const Bits& documents, Scores& sums) {
  Scores& into = own_ ? *own_ : sums;
  if (own_) for_each(documents, [&](std::uint32_t place) { into[place] = 0; });
  for (const MatcherPtr& one : parts_.must) one->score(first, documents, into);
  for (const MatcherPtr& one : parts_.should) one->score_matching(first, documents, into);
  if (own_) for_each(documents, [&](std::uint32_t place) { add(sums[place], times(into[place], boost_)); });
}

std::uint64_t BoolMatcher::bound(DocId first) {
  std::uint64_t sum = 0;
  for (const auto* some : {&parts_.must, &parts_.should})
    for (const MatcherPtr& one : *some) sum += one->bound(first);
  return own_ ? times(sum, boost_) : capped(sum);
}

MaxMatcher::MaxMatcher(std::vector<MatcherPtr> of, query::Factor tie_breaker, query::Factor boost)
    : of_(std::move(of)),
      tie_breaker_(tie_breaker),
      boost_(boost),
      one_(std::make_unique<Scores>()),
      best_(std::make_unique<Scores>()),
      all_(std::make_unique<std::array<std::uint64_t, kWindow>>()) {}

DocId MaxMatcher::next(DocId from) { return first_of_any(of_, from); }
void MaxMatcher::restrict(DocId first, Bits& documents) { restrict_to_any(of_, first, documents); }

void MaxMatcher::score(DocId first, const Bits& documents, Scores& sums) {
  Scores &one = *one_, &best = *best_;
  auto& all = *all_;
  for_each(documents, [&](std::uint32_t place) {
    best[place] = 0;
    all[place] = 0;
  });
  for (const MatcherPtr& part : of_) {
    for_each(documents, [&](std::uint32_t place) { one[place] = 0; });
    part->score_matching(first, documents, one);
    for_each(documents, [&](std::uint32_t place) {
      best[place] = std::max(best[place], one[place]);
      all[place] += one[place];
    });
  }
  for_each(documents, [&](std::uint32_t place) {
    const std::uint64_t others = (all[place] - best[place]) * tie_breaker_.units / query::Factor::kOne;
    add(sums[place], times(best[place] + others, boost_));
  });
}

std::uint64_t MaxMatcher::bound(DocId first) {
  std::uint64_t sum = 0, best = 0;
  for (const MatcherPtr& one : of_) {
    const std::uint64_t bound = one->bound(first);
    sum += bound;
    best = std::max(best, bound);
  }
  return times(tie_breaker_.units == 0 ? best : sum, boost_);
}

std::uint64_t MaxMatcher::estimate() const {
  std::uint64_t sum = 0;
  for (const MatcherPtr& one : of_) sum += one->estimate();
  return sum;
}

}  // namespace frond::leaf::clauses
