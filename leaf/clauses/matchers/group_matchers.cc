#include "leaf/clauses/matchers/group_matchers.h"

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
  for (const MatcherPtr& one : parts_.must) required_.push_back({one.get(), true});
  for (const MatcherPtr& one : parts_.filter) required_.push_back({one.get(), false});
  std::ranges::stable_sort(required_, {}, [](const Required& one) { return one.matcher->estimate(); });
  std::ranges::stable_sort(parts_.should, std::greater<>(), &Matcher::estimate);
  estimate_ = documents;
  if (!required_.empty()) {
    estimate_ = required_.front().matcher->estimate();
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
  for (const Required& one : required_) {
    if (at == kNoDoc) return kNoDoc;
    at = one.matcher->next(at);
  }
  if (at == kNoDoc || parts_.minimum == 0) return at;
  return first_of_any(parts_.should, at);
}

void BoolMatcher::restrict_above(DocId first, std::uint64_t least, Bits& documents) {
  if (own_) least = 0;  // its parts' scores are not those that count
  const std::uint64_t all = least == 0 ? 0 : sum_of_bounds(first);
  for (const Required& one : required_) {
    const std::uint64_t others = least == 0 || !one.scores ? least : all - one.matcher->bound(first);
    one.matcher->restrict_above(first, least > others ? least - others : 0, documents);
    if (none(documents)) return;
  }
  if (parts_.minimum == 1)
    restrict_to_one(first, least, documents);
  else if (parts_.minimum > 1)
    restrict_to_some(first, documents);
  for (const MatcherPtr& one : parts_.must_not) {
    if (none(documents)) return;
    Bits out = documents;
    one->restrict(first, out);
    remove(documents, out);
  }
}

// Of clauses that together cannot give the score, a document needs one more than these.
void BoolMatcher::restrict_to_one(DocId first, std::uint64_t least, Bits& documents) {
  std::vector<std::pair<std::uint64_t, Matcher*>> by_bound;
  std::uint64_t sum = 0;
  if (least != 0) {
    for (const MatcherPtr& one : parts_.must) sum += one->bound(first);
    for (const MatcherPtr& one : parts_.should) by_bound.emplace_back(one->bound(first), one.get());
    std::ranges::sort(by_bound, {}, &std::pair<std::uint64_t, Matcher*>::first);
  }
  std::size_t needless = 0;
  while (needless < by_bound.size() && (sum += by_bound[needless].first) < least) ++needless;
  if (needless == 0) return restrict_to_any(parts_.should, first, documents);
  Bits left = documents;
  for (std::size_t i = by_bound.size(); i-- > needless && !none(left);) {
    Bits found = left;
    by_bound[i].second->restrict(first, found);
    remove(left, found);
  }
  remove(documents, left);
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
  const std::uint64_t sum = sum_of_bounds(first);
  return own_ ? times(sum, boost_) : capped(sum);
}

std::uint64_t BoolMatcher::sum_of_bounds(DocId first) const {
  std::uint64_t sum = 0;
  for (const auto* some : {&parts_.must, &parts_.should})
    for (const MatcherPtr& one : *some) sum += one->bound(first);
  return sum;
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
