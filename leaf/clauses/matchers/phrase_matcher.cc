#include "leaf/clauses/matchers/phrase_matcher.h"

#include <algorithm>
#include <string>
#include <utility>

namespace frond::leaf::clauses {
PhraseMatcher::PhraseMatcher(const PhraseNode& phrase, std::vector<List> lists, const SearchedPartition& partition,
                             std::span<const std::uint32_t> lengths, scoring::LengthNorm norm, query::Factor boost)
    : phrase_(phrase),
      partition_(partition),
      lengths_(lengths),
      norm_(norm),
      boost_(boost),
      places_(numbers_of(phrase), phrase.slop) {
  std::uint64_t of_several = 0;
  for (List& list : lists) {
    const bool is_one = phrase.words[list.word].lists.size() == 1;
    if (!is_one) of_several += list.documents->estimate();
    (is_one ? single_ : several_).push_back(std::move(list));
  }
  std::ranges::stable_sort(single_, {}, [](const List& list) { return list.documents->estimate(); });
  estimate_ = single_.empty() ? of_several : single_.front().documents->estimate();
}

DocId PhraseMatcher::next(DocId from) {
  for (const List& list : single_) {
    if (from == kNoDoc) return kNoDoc;
    from = list.documents->next(from);
  }
  return from;
}

// Keeps those that have one of the last words, and notes which.
void PhraseMatcher::restrict_to_last_words(DocId first, Bits& documents) {
  last_words_.clear();
  Bits any{};
  for (std::uint32_t i = 0; i < several_.size(); ++i) {
    Bits found = documents;
    several_[i].documents->restrict(first, found);
    for_each(found, [&](std::uint32_t place) { last_words_.push_back({place, i}); });
    insert(any, found);
  }
  std::ranges::stable_sort(last_words_, {}, &LastWord::place);
  documents = any;
}

// The phrase is nowhere more often than its words, so its share of its weight is not above theirs; if words may move,
// not more often than the first. The margin covers what the floats' roundings may lose.
std::uint64_t PhraseMatcher::bound_by(const List& list, std::uint64_t score) const {
  const float share = std::min(1.0f, static_cast<float>(score + 1) / list.weight);
  return times(static_cast<std::uint64_t>(phrase_.weight * share * (1.0f + 0x1p-18f)) + 1, boost_);
}

std::uint64_t PhraseMatcher::bound(DocId first) {
  std::uint64_t least = times(static_cast<std::uint64_t>(phrase_.weight) + 1, boost_);
  for (const List& list : single_)
    if (bounds_phrase(list)) least = std::min(least, bound_by(list, list.documents->bound(first)));
  return least;
}

// Those that have too few of a word.
void PhraseMatcher::drop_below(DocId first, std::uint64_t least, Bits& candidates) {
  for (const List& list : single_) {
    if (!bounds_phrase(list) || none(candidates)) continue;
    for_each(candidates, [&](std::uint32_t place) { scores_[place] = 0; });
    list.documents->score(first, candidates, scores_);
    Bits kept{};
    for_each(candidates, [&](std::uint32_t place) {
      if (bound_by(list, scores_[place]) >= least) set(kept, place);
    });
    candidates = kept;
  }
}

void PhraseMatcher::restrict_above(DocId first, std::uint64_t least, Bits& documents) {
  if (window_ != first) {
    window_ = first;
    known_ = matching_ = {};
  }
  Bits candidates = documents;
  remove(candidates, known_);
  if (least == 0) insert(known_, documents);
  for (const List& list : single_) {
    if (none(candidates)) break;
    list.documents->restrict(first, candidates);
  }
  if (least != 0) {
    drop_below(first, least, candidates);
    insert(known_, candidates);
  }
  if (!several_.empty() && !none(candidates)) restrict_to_last_words(first, candidates);
  look_at(first, candidates);
  keep(documents, matching_);
}

// Some documents ahead their sequences are fetched from memory, which takes longer than to look at one.
void PhraseMatcher::look_at(DocId first, const Bits& candidates) {
  constexpr std::uint32_t kAhead = 8;
  struct Sequence {
    std::uint32_t place = 0;
    ByteView record;
  };
  std::array<Sequence, kAhead> sequences;
  std::uint32_t begun = 0;
  const auto finish = [&](const Sequence& one) {
    frequencies_[one.place] = places_in(first, one.place, one.record);
    if (frequencies_[one.place] != 0) set(matching_, one.place);
  };
  for_each(candidates, [&](std::uint32_t place) {
    Sequence& slot = sequences[begun % kAhead];
    if (begun >= kAhead) finish(slot);
    slot = {place, partition_.token_codes(first + place)};
    __builtin_prefetch(slot.record.data());
    if (slot.record.size() > 64) __builtin_prefetch(slot.record.data() + 64);
    ++begun;
  });
  for (std::uint32_t i = begun < kAhead ? 0 : begun - kAhead; i < begun; ++i) finish(sequences[i % kAhead]);
}

std::uint32_t PhraseMatcher::places_in(DocId first, std::uint32_t place, ByteView record) {
  if (record.empty()) return 0;
  const auto codes = partition::TokenCodes::open(record);
  if (!codes) {
    if (!error_) error_ = Error(codes.error()).within("document " + std::to_string(first + place));
    return 0;
  }
  for (const List& list : single_) places_.words()[list.word].codes.assign(1, codes->code(list.hash));
  if (!several_.empty()) {
    std::vector<std::uint32_t>& last = places_.words().back().codes;
    last.clear();
    for (auto at = std::ranges::lower_bound(last_words_, place, {}, &LastWord::place);
         at != last_words_.end() && at->place == place; ++at)
      last.push_back(codes->code(several_[at->list].hash));
  }
  std::uint32_t count = 0;
  codes->for_each_field([&](const partition::TokenCodes::Field& field) {
    if (phrase_.field == kAllText || phrase_.field == field.field) count += places_.count(field, codes->width());
  });
  return count;
}

void PhraseMatcher::score(DocId first, const Bits& documents, Scores& sums) {
  for_each(documents, [&](std::uint32_t place) {
    if (first + place >= lengths_.size()) return;  // never, of an intact partition
    add(sums[place],
        times(scoring::contribution(phrase_.weight, frequencies_[place], lengths_[first + place], norm_), boost_));
  });
}

}  // namespace frond::leaf::clauses
