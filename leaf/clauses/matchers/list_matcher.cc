#include "leaf/clauses/matchers/list_matcher.h"

#include <algorithm>

namespace frond::leaf::clauses {
namespace {

// Up to so many documents for each block of the window are looked up one by one: to find one in a decoded block takes
// as long as to pass over so many postings.
constexpr std::uint32_t kLookUpsPerBlock = 8;

}  // namespace

void ListMatcher::look_at(DocId first) {
  if (window_ == first) return;
  window_ = first;
  begin_ = reader_.list().find_block(first, begin_);
  end_ = begin_;
  if (begin_ < reader_.blocks())
    end_ = std::min(reader_.list().find_block(first + (kWindow - 1), begin_) + 1, reader_.blocks());
}

DocId ListMatcher::next(DocId from) {
  const std::uint32_t block = reader_.list().find_block(from, begin_);
  if (block >= reader_.blocks()) return kNoDoc;
  reader_.enter(block);
  const std::uint32_t position = reader_.position_of(from);
  return position < reader_.size() ? reader_.docids()[position] : kNoDoc;  // the latter if it does not decode
}

template <class Visit>
void ListMatcher::look_up(DocId first, const Bits& documents, const Visit& visit) {
  std::uint32_t block = begin_;
  for_each(documents, [&](std::uint32_t place) {
    const DocId docid = first + place;
    if (block < end_ && reader_.list().last_docid(block) < docid) block = reader_.list().find_block(docid, block);
    if (block >= end_) return;
    reader_.enter(block);
    const std::uint32_t position = reader_.position_of(docid);
    if (position < reader_.size() && reader_.docids()[position] == docid) visit(place, block, position);
  });
}

template <class Wanted, class Visit>
void ListMatcher::for_each_block(DocId first, const Wanted& wanted, const Visit& visit) {
  for (std::uint32_t block = begin_; block < end_; ++block) {
    const DocId begin = std::max(reader_.first_possible(block), first);
    const DocId last = std::min(reader_.list().last_docid(block), first + (kWindow - 1));
    if (!wanted(block, begin - first, last - first)) continue;
    reader_.enter(block);
    const std::uint32_t from = block == begin_ ? reader_.position_of(first) : 0;
    const std::uint32_t to = block + 1 == end_ ? reader_.position_of(first + kWindow) : reader_.size();
    visit(from, to);
  }
}

void ListMatcher::restrict_above(DocId first, std::uint64_t least, Bits& documents) {
  look_at(first);
  Bits found{};
  if (begin_ == end_) {
    documents = found;
    return;
  }
  if (count(documents) <= blocks_here() * kLookUpsPerBlock) {
    look_up(first, documents, [&](std::uint32_t place, std::uint32_t, std::uint32_t) { set(found, place); });
    documents = found;
    return;
  }
  const bool has_bounds = least != 0 && scoring_.has_bounds && scoring_.kind == ListScoring::Kind::kBm25;
  const auto wanted = [&](std::uint32_t block, std::uint32_t, std::uint32_t) {
    return !has_bounds || bound_of(reader_.list().block_deficit(block)) >= least;
  };
  for_each_block(first, wanted, [&](std::uint32_t from, std::uint32_t to) {
    const DocId* const docids = reader_.docids();
    for (std::uint32_t i = from; i < to; ++i) set(found, (docids[i] - first) % kWindow);
  });
  keep(documents, found);
}

void ListMatcher::score_matching(DocId first, const Bits& documents, Scores& sums) {
  if (scoring_.kind == ListScoring::Kind::kNone) return;
  look_at(first);
  if (count(documents) <= blocks_here() * kLookUpsPerBlock)
    return look_up(first, documents, [&](std::uint32_t place, std::uint32_t block, std::uint32_t position) {
      add(sums[place], score_of(reader_.score_of(block, position, first + place)));
    });
  const auto wanted = [&](std::uint32_t, std::uint32_t from, std::uint32_t to) {
    return any_between(documents, from, to);
  };
  for_each_block(first, wanted, [&](std::uint32_t from, std::uint32_t to) {
    const DocId* const docids = reader_.docids();
    const Score* const scores = reader_.scores();
    for (std::uint32_t i = from; i < to; ++i) {
      const std::uint32_t place = (docids[i] - first) % kWindow;
      add(sums[place], has(documents, place) ? score_of(scores[i]) : 0);
    }
  });
}

std::uint64_t ListMatcher::bound(DocId first) {
  look_at(first);
  if (begin_ == end_ || scoring_.kind == ListScoring::Kind::kNone) return 0;
  if (!scoring_.has_bounds) return times(static_cast<std::uint64_t>(weight_) + 1, scoring_.factor);
  return bound_of(reader_.list().least_deficit(begin_, end_ - 1));
}

}  // namespace frond::leaf::clauses
