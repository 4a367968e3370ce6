#include "leaf/collect/sort_collector.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace frond::leaf::collect {

using By = query::SortKey::By;

SortCollector::SortCollector(const query::SortOrder& order, const schema::Schema& schema,
                             const clauses::ClausePlan& plan)
    : plan_(plan.plan) {
  for (const query::SortKey& key : order) {
    keys_.emplace_back(key, schema, *plan.partition);
    needs_scores_ = needs_scores_ || key.by == By::kScore;
    if (key.by == By::kOrder) break;
  }
  if (needs_scores_) sums_ = std::make_unique<clauses::Scores>();
}

Result<SortCollector> SortCollector::make(const query::SortOrder& order, const schema::Schema& schema,
                                          const clauses::ClausePlan& plan,
                                          const std::optional<query::SortPosition>& after,
                                          const std::optional<query::SortPosition>& before) {
  FROND_TRY(query::check_sort(order, schema));
  SortCollector made(order, schema, plan);
  if (after) made.after_ = FROND_TRY(made.limit_at(*after, order, schema));
  if (before) made.before_ = FROND_TRY(made.limit_at(*before, order, schema));
  return made;
}

Result<SortCollector::Limit> SortCollector::limit_at(const query::SortPosition& position, const query::SortOrder& order,
                                                     const schema::Schema& schema) const {
  auto values = query::read_sort_bytes(position.bytes, order, schema);
  if (!values) return Error(Code::kInvalid, "the place to go on from: " + values.error().message());
  Limit limit;
  limit.ordinal = position.ordinal;
  limit.words.reserve(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const PlacedKey& key = keys_[i];
    query::SortValue& value = (*values)[i];
    SortPart part{key.missing()};
    if (key.key().by == By::kScore) {
      part.rank = {Presence::kValue, key.in_order(value.score)};
    } else if (key.key().by == By::kOrder) {
      part.rank = {Presence::kValue, key.in_order(value.ordinal)};
    } else if (value.value && key.is_word()) {
      limit.words.push_back(std::get<std::string>(*std::move(value.value)));
      part = {{Presence::kValue, 0}, limit.words.back()};
    } else if (value.value) {
      const schema::FieldType type = schema.find(key.key().field)->type;
      part.rank = {Presence::kValue, key.in_order(schema::ordering_key(type, *value.value))};
    }
    limit.parts.push_back(part);
  }
  return limit;
}

void SortCollector::rank(Limit& limit) const {
  for (std::size_t i = 0; i < keys_.size(); ++i) limit.ranks[i] = keys_[i].rank_here(limit.parts[i]);
}

void SortCollector::look_at(DocId first) {
  if (window_ == first) return;
  window_ = first;
  for (PlacedKey& key : keys_) key.look_at(first / kWindow);
  if (after_) rank(*after_);
  if (before_) rank(*before_);
}

// Those of the first key that a hit may have.
SortCollector::Ranks SortCollector::possible_ranks() const {
  Ranks ranks;
  if (after_) ranks.low = after_->ranks[0];
  if (!before_) return ranks;
  ranks.high = before_->ranks[0];
  if (keys_.size() > 1 || heap_.empty() || heap_.size() < plan_.k) return ranks;
  // Of equal documents the first stays, and those of this partition come in their order.
  if (ranks.high == SortRank{Presence::kMissingFirst, 0}) return {{Presence::kMissingLast, 1}, ranks.high};
  if (ranks.high.number-- == 0)
    ranks.high.presence = static_cast<Presence>(static_cast<std::uint8_t>(ranks.high.presence) - 1);
  return ranks;
}

// Of an order by the documents' order first: whether some of the window are there.
bool SortCollector::may_have(DocId first, const Ranks& ranks) const {
  if (keys_[0].key().by != By::kOrder) return ranks.low <= ranks.high;
  const auto last = static_cast<DocId>(std::min<std::size_t>(first + (kWindow - 1), plan_.lengths.size() - 1));
  const SortRank a{Presence::kValue, keys_[0].in_order(plan_.placement.ordinal(first))};
  const SortRank b{Presence::kValue, keys_[0].in_order(plan_.placement.ordinal(last))};
  return std::max(a, b) >= ranks.low && std::min(a, b) <= ranks.high;
}

// What the clauses must give a document of the window; of an order by score first.
std::uint64_t SortCollector::least_score(DocId first) const {
  if (!before_ || keys_[0].key().by != By::kScore || !keys_[0].key().descending) return 0;
  const std::uint64_t least = ~before_->ranks[0].number;
  if (plan_.priors == nullptr) return least;
  const auto last = static_cast<DocId>(std::min<std::size_t>(first + (kWindow - 1), plan_.lengths.size() - 1));
  const std::uint64_t prior = scoring::weighted(plan_.priors->max_in(first, last), plan_.prior_weight);
  return least > prior ? least - prior : 0;
}

std::uint64_t SortCollector::narrow(DocId first, Bits& documents) {
  look_at(first);
  const Ranks ranks = possible_ranks();
  if (plan_.k == 0 || !may_have(first, ranks)) {
    documents = {};
  } else {
    keep_in_range(documents);
  }
  return least_score(first);
}

// By the first key, if it is a column.
void SortCollector::keep_in_range(Bits& documents) const {
  if (!keys_[0].is_column() || (!after_ && !before_)) return;
  const Ranks ranks = possible_ranks();
  keys_[0].keep_in_range(keys_[0].range_of(ranks.low, ranks.high), documents);
}

scoring::Score SortCollector::score_of(DocId docid) const {
  const scoring::Score sum = (*sums_)[docid - window_];
  return plan_.priors == nullptr ? sum : scoring::with_prior(sum, engine::prior_score(plan_, docid));
}

SortRank SortCollector::rank_of(std::size_t key, DocId docid) const {
  const PlacedKey& of = keys_[key];
  if (of.is_column()) return of.rank_of(docid - window_);
  const std::uint64_t number = of.key().by == By::kScore ? score_of(docid) : plan_.placement.ordinal(docid);
  return {Presence::kValue, of.in_order(number)};
}

// `otherwise`: if it is the very place.
bool SortCollector::is_before(DocId docid, const Limit& limit, bool otherwise) const {
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (const SortRank rank = rank_of(i, docid); rank != limit.ranks[i]) return rank < limit.ranks[i];
  const Ordinal ordinal = plan_.placement.ordinal(docid);
  return ordinal != limit.ordinal ? ordinal < limit.ordinal : otherwise;
}

Result<void> SortCollector::take(DocId first, const Bits& documents, clauses::Matcher& root) {
  look_at(first);
  if (plan_.k == 0 || !may_have(first, possible_ranks())) return {};
  Bits possible = documents;
  if (needs_scores_) {
    const std::uint64_t least = narrow(first, possible);
    if (least != 0 && root.bound(first) < least) return {};
    if (least != 0 && !clauses::none(possible)) root.restrict_above(first, least, possible);
    if (clauses::none(possible)) return {};
    clauses::for_each(possible, [&](std::uint32_t place) { (*sums_)[place] = 0; });
    root.score(first, possible, *sums_);
  } else {
    keep_in_range(possible);
  }
  // The worst that is held changes on the way.
  before_changed_ = false;
  for (std::uint32_t word = 0; word < possible.size(); ++word) {
    std::uint64_t left = possible[word];
    if (left == 0) continue;
    if (keys_[0].is_column() && before_changed_) {
      const Ranks ranks = possible_ranks();
      left = keys_[0].in_range(keys_[0].range_of(ranks.low, ranks.high), word, left);
    }
    for (; left != 0; left &= left - 1) {
      const DocId docid = first + word * 64 + static_cast<DocId>(std::countr_zero(left));
      if ((before_ && !is_before(docid, *before_, false)) || (after_ && is_before(docid, *after_, true))) continue;
      keep(docid);
    }
  }
  return {};
}

bool SortCollector::comes_first(std::uint32_t a, std::uint32_t b) const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const auto order = keys_[i].compare(parts_[a * keys_.size() + i], parts_[b * keys_.size() + i]);
    if (std::is_neq(order)) return std::is_lt(order);
  }
  return held_[a].ordinal < held_[b].ordinal;
}

void SortCollector::keep(DocId docid) {
  const auto worse = [this](std::uint32_t a, std::uint32_t b) { return comes_first(a, b); };
  auto slot = static_cast<std::uint32_t>(heap_.size());
  if (heap_.size() < plan_.k) {
    parts_.resize(parts_.size() + keys_.size());
    held_.emplace_back();
    heap_.push_back(slot);
  } else {
    std::pop_heap(heap_.begin(), heap_.end(), worse);
    slot = heap_.back();
  }
  for (std::size_t i = 0; i < keys_.size(); ++i)
    parts_[slot * keys_.size() + i] =
        keys_[i].is_column() ? keys_[i].part_of(docid - window_) : SortPart{rank_of(i, docid)};
  held_[slot] = {plan_.placement.ordinal(docid), needs_scores_ ? score_of(docid) : 0};
  std::push_heap(heap_.begin(), heap_.end(), worse);
  if (heap_.size() < plan_.k) return;
  if (!before_) before_ = Limit{};  // clang refuses emplace(): a member of this class
  const std::uint32_t worst = heap_.front();
  const auto begin = parts_.begin() + static_cast<std::ptrdiff_t>(worst * keys_.size());
  before_->parts.assign(begin, begin + static_cast<std::ptrdiff_t>(keys_.size()));
  before_->ordinal = held_[worst].ordinal;
  rank(*before_);
  before_changed_ = true;
}

void SortCollector::finish(std::size_t max_bytes, std::vector<topk::Hit>& hits, std::vector<std::string>& sort_bytes) {
  std::sort_heap(heap_.begin(), heap_.end(), [this](std::uint32_t a, std::uint32_t b) { return comes_first(a, b); });
  std::size_t taken = 0;
  for (const std::uint32_t slot : heap_) {
    if (taken > max_bytes) return;
    hits.push_back(held_[slot]);
    std::string& bytes = sort_bytes.emplace_back();
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i].append(parts_[slot * keys_.size() + i], bytes);
    taken += bytes.size();
  }
}

}  // namespace frond::leaf::collect
