#include "leaf/collect/sort_place.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

namespace frond::leaf::collect {

PlacedKey::PlacedKey(const query::SortKey& key, const schema::Schema& schema,
                     const clauses::SearchedPartition& partition)
    : key_(&key) {
  if (!is_column()) return;
  const schema::Field* const field = schema.find(key.field);
  type_ = field->type;
  column_ = partition.column(static_cast<std::uint32_t>(field - schema.fields.data()));
}

std::strong_ordering PlacedKey::compare(const SortPart& a, const SortPart& b) const {
  if (a.rank != b.rank || !is_word()) return a.rank <=> b.rank;
  return key_->descending ? b.word <=> a.word : a.word <=> b.word;
}

void PlacedKey::append(const SortPart& part, std::string& bytes) const {
  const bool has_value = part.rank.presence == Presence::kValue;
  const std::uint64_t number = in_order(part.rank.number);
  if (key_->by == query::SortKey::By::kScore)
    query::SortBytes::add_score(*key_, static_cast<scoring::Score>(number), bytes);
  else if (key_->by == query::SortKey::By::kOrder)
    query::SortBytes::add_order(*key_, number, bytes);
  else if (is_word())
    query::SortBytes::add_keyword(*key_, has_value ? std::optional(part.word) : std::nullopt, bytes);
  else
    query::SortBytes::add_number(*key_, has_value ? std::optional(number) : std::nullopt, bytes);
}

// Of the document's least or greatest value; it has one.
std::uint64_t PlacedKey::code_of(std::uint32_t document) const {
  const auto [begin, end] = chunk_->places(document);
  return chunk_->code(key_->descending && end > begin ? end - 1 : begin);
}

SortRank PlacedKey::rank_of(std::uint32_t document) const {
  if (chunk_ == nullptr || chunk_->values == 0 || !chunk_->has(document)) return missing();
  const std::uint64_t code = code_of(document);
  return {Presence::kValue, in_order(is_word() ? 2 * code + 1 : chunk_->least + code)};
}

SortPart PlacedKey::part_of(std::uint32_t document) const {
  const SortRank rank = rank_of(document);
  if (rank.presence != Presence::kValue || !is_word()) return {rank};
  return {{Presence::kValue, 0}, chunk_->word(static_cast<std::uint32_t>(in_order(rank.number) / 2))};
}

SortRank PlacedKey::rank_here(const SortPart& part) const {
  if (part.rank.presence != Presence::kValue || !is_word()) return part.rank;
  std::uint32_t low = 0, high = chunk_ == nullptr ? 0 : chunk_->words;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (chunk_->word(middle) < part.word)
      low = middle + 1;
    else
      high = middle;
  }
  const bool is_there = chunk_ != nullptr && low < chunk_->words && chunk_->word(low) == part.word;
  return {Presence::kValue, in_order(2 * std::uint64_t{low} + (is_there ? 1 : 0))};
}

PlacedKey::Range PlacedKey::range_of(const SortRank& low, const SortRank& high) const {
  Range range;
  range.with_missing = low <= missing() && missing() <= high;
  if (chunk_ == nullptr || chunk_->values == 0 || low.presence > Presence::kValue || high.presence < Presence::kValue)
    return range;
  std::uint64_t from = low.presence == Presence::kValue ? low.number : 0;
  std::uint64_t to = high.presence == Presence::kValue ? high.number : ~std::uint64_t{0};
  if (key_->descending) {
    from = std::exchange(to, ~from);
    from = ~from;
  }
  if (is_word()) {
    if (to == 0) return range;
    range.first = from / 2;
    range.last = (to - 1) / 2;
  } else if (from <= to && to >= chunk_->least && from <= chunk_->greatest) {
    range.first = std::max(from, chunk_->least) - chunk_->least;
    range.last = to - chunk_->least;
  }
  return range;
}

void PlacedKey::keep_in_range(const Range& range, Bits& documents) const {
  if (chunk_ == nullptr || chunk_->values == 0 || chunk_->offsets != nullptr || range.first > range.last) {
    for (std::uint32_t word = 0; word < documents.size(); ++word)
      if (documents[word] != 0) documents[word] = in_range(range, word, documents[word]);
    return;
  }
  Bits found{};
  partition::find_codes(*chunk_, 0, (chunk_->documents + 63) / 64, range.first, range.last, found.data());
  for (std::uint32_t word = 0; word < documents.size(); ++word) {
    const std::uint64_t present = chunk_->present(word);
    documents[word] &= (found[word] & present) | (range.with_missing ? ~present : 0);
  }
}

std::uint64_t PlacedKey::in_range(const Range& range, std::uint32_t word, std::uint64_t documents) const {
  const std::uint64_t present = chunk_ == nullptr ? 0 : chunk_->present(word);
  std::uint64_t found = range.with_missing ? documents & ~present : 0;
  std::uint64_t with_value = range.first <= range.last ? documents & present : 0;
  if (with_value == 0) return found;
  if (chunk_->offsets == nullptr) return found | (with_value & chunk_->codes_between(word, range.first, range.last));
  for (; with_value != 0; with_value &= with_value - 1) {
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(with_value));
    const std::uint64_t code = code_of(word * 64 + bit);
    found |= std::uint64_t{range.first <= code && code <= range.last} << bit;
  }
  return found;
}

}  // namespace frond::leaf::collect
