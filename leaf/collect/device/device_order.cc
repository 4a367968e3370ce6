#include "leaf/collect/device/device_order.h"

#include <algorithm>
#include <utility>

#include "leaf/collect/device/column_codes.h"

namespace frond::leaf::collect {
namespace {

using By = query::SortKey::By;
using partition::ValueColumn;

// Words of all chunks of a column, up to which they are numbered for an order: some tenths of a second.
constexpr std::uint64_t kMostWords = std::uint64_t{8} << 20;

std::uint64_t words_of(const ValueColumn& column) {
  std::uint64_t words = 0;
  for (std::uint32_t i = 0; i < column.chunks(); ++i) words += column.chunk(i).words;
  return words;
}

}  // namespace

std::optional<DeviceOrder> DeviceOrder::make(const Source& source, const clauses::SearchedPartition& searched,
                                             std::uint64_t partition, const Placement& placement,
                                             scoring::Score most_score) {
  DeviceOrder made(placement);
  for (const query::SortKey& key : source.sort)
    if (!made.add_key(key, source, searched, partition, most_score)) return std::nullopt;
  if (made.order_.bits() > engine::CodeOrder::kMostBits) return std::nullopt;
  if (source.after && !made.go_on_behind(*source.after, source.sort, source.schema)) return std::nullopt;
  return made;
}

// False: it is none for a device.
bool DeviceOrder::add_key(const query::SortKey& key, const Source& source, const clauses::SearchedPartition& searched,
                          std::uint64_t partition, scoring::Score most_score) {
  Placed& placed = placed_.emplace_back(Placed{PlacedKey(key, source.schema, searched)});
  if (key.by == By::kOrder) {
    order_.last_first = key.descending;
    return true;
  }
  if (key.by == By::kScore) {
    order_.keys.push_back({nullptr, key.descending, false, most_score});
    placed.bits = order_.keys.back().bits();
    return true;
  }
  const schema::Field* const field = source.schema.find(key.field);
  const auto number = static_cast<std::uint32_t>(field - source.schema.fields.data());
  const ValueColumn* const column = searched.column(number);
  if (column == nullptr || column->values() == 0) return true;  // all documents are the same
  ValueSpan span;
  if (field->type == schema::FieldType::kKeyword) {
    if (words_of(*column) > kMostWords) return false;
    auto words = source.keywords.numbers(partition, number, *column, source.deadline, source.clock);
    if (!words) return false;
    placed.words = *std::move(words);
  } else {
    span = whole_span(*column);
    if (span.steps == 0) return false;
    placed.base = span.base;
  }
  const CodesOf of = has_single_values(*column) ? CodesOf::kValues
                     : key.descending           ? CodesOf::kGreatest
                                                : CodesOf::kLeast;
  order_.keys.push_back({column_codes(*column, of, placed.words, span), key.descending, key.missing_first});
  placed.column = column;
  placed.bits = order_.keys.back().bits();
  return true;
}

DeviceOrder::Rank DeviceOrder::rank_of(const Placed& placed, std::uint64_t values, const schema::Value& value) {
  if (placed.words == nullptr) {
    const std::uint64_t key = schema::ordering_key(placed.column->type(), value);
    if (key < placed.base) return {0, false};
    return {std::min(key - placed.base, values), key - placed.base < values};
  }
  const auto& word = std::get<std::string>(value);
  std::uint32_t low = 0, high = placed.words->size();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (placed.words->word(*placed.column, middle) < word)
      low = middle + 1;
    else
      high = middle;
  }
  return {low, low < placed.words->size() && placed.words->word(*placed.column, low) == word};
}

// False: it is no place in this order, or one that keys cannot name.
bool DeviceOrder::go_on_behind(const query::SortPosition& position, const query::SortOrder& sort,
                               const schema::Schema& schema) {
  const auto values = query::read_sort_bytes(position.bytes, sort, schema);
  if (!values) return false;
  std::uint64_t parts = 0;
  std::uint32_t bits = 0;
  std::size_t next = 0;  // of order_.keys
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    const Placed& placed = placed_[i];
    const query::SortValue& value = (*values)[i];
    if (sort[i].by == By::kOrder) {
      if (value.ordinal != position.ordinal) return false;
      break;
    }
    if (sort[i].by == By::kScore) {
      const engine::CodeKey& key = order_.keys[next++];
      if (value.score > key.most_score) return begin_at(parts, bits, !key.descending);
      bits += placed.bits;
      parts = engine::with_part(parts, placed.bits, key.part(value.score));
      continue;
    }
    if (placed.column == nullptr) {
      if (!value.value) continue;
      return begin_at(parts, bits, sort[i].missing_first);
    }
    const engine::CodeKey& key = order_.keys[next++];
    bits += placed.bits;
    if (!value.value) {
      parts = engine::with_part(parts, placed.bits, key.part(0));
      continue;
    }
    const std::uint64_t all = key.codes->codes() - 1;
    const Rank rank = rank_of(placed, all, *value.value);
    const std::uint64_t before = key.descending ? all - rank.less - (rank.is_there ? 1 : 0) : rank.less;
    parts = engine::with_part(parts, placed.bits, before + (rank.is_there ? 1 : 0));
    if (!rank.is_there) return begin_at(parts, bits, true);
  }
  return begin_behind(position.ordinal, parts);
}

// Behind all documents whose keys begin with these parts, or at the first of them. False: no key is behind.
bool DeviceOrder::begin_at(std::uint64_t first_parts, std::uint32_t bits, bool behind) {
  const std::uint32_t rest = order_.bits() - bits;
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  std::uint64_t place = rest < 64 ? first_parts << rest : 0;
  if (behind) {
    place |= rest == 0 ? 0 : kOnes >> (64 - rest);
    if (place == kOnes) return false;
    ++place;
  }
  order_.after_key = place;
  order_.after_tie = 0;
  return true;
}

// Behind the document of this ordinal, which may be of another partition.
bool DeviceOrder::begin_behind(Ordinal ordinal, std::uint64_t key) {
  const auto placed = [this](std::uint64_t steps) {
    return static_cast<DocId>(std::min<std::uint64_t>(steps, placement_.documents));
  };
  const Ordinal distance = ordinal < placement_.base ? 0 : ordinal - placement_.base;
  if (!order_.last_first) {
    order_.after_key = key;
    order_.after_tie = ordinal < placement_.base ? 0 : placed(distance / placement_.stride + 1);
    return true;
  }
  const DocId before = placed(distance / placement_.stride + (distance % placement_.stride != 0 ? 1 : 0));
  if (before == 0) return begin_at(key, order_.bits(), true);
  order_.after_key = key;
  order_.after_tie = order_.tie_of(before - 1);
  return true;
}

std::vector<std::string> DeviceOrder::sort_bytes(std::size_t max_bytes, std::vector<topk::Hit>& hits) {
  std::vector<std::string> all;
  std::size_t taken = 0;
  for (const topk::Hit& hit : hits) {
    if (taken > max_bytes) break;
    const auto docid = static_cast<DocId>((hit.ordinal - placement_.base) / placement_.stride);
    std::string& bytes = all.emplace_back();
    for (Placed& placed : placed_) {
      const bool is_score = placed.key.key().by == By::kScore;
      SortPart part{{Presence::kValue, placed.key.in_order(is_score ? hit.score : hit.ordinal)}};
      if (placed.key.is_column()) {
        placed.key.look_at(docid / kWindow);
        part = placed.key.part_of(docid % kWindow);
      }
      placed.key.append(part, bytes);
    }
    taken += bytes.size();
  }
  hits.resize(all.size());
  return all;
}

}  // namespace frond::leaf::collect
