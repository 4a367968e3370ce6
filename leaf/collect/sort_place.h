#pragma once
// What documents of a partition have of a sort order's keys, in two forms: as values, which compare with those of any
// other document, and as ranks within one chunk, which are numbers.
#include <array>
#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/query/sort_order.h"
#include "common/schema/schema.h"
#include "leaf/clauses/searched_partition.h"
#include "leaf/collect/chunk_values.h"

namespace frond::leaf::collect {

// Whether a document has a value; without one it comes before all that have, or behind.
enum class Presence : std::uint8_t { kMissingFirst, kValue, kMissingLast };

// Smaller ones come first, also in a descending order: the numbers are inverted then.
struct SortRank {
  Presence presence = Presence::kValue;
  std::uint64_t number = 0;
  friend auto operator<=>(const SortRank&, const SortRank&) = default;
};
// As a rank; of a keyword the word itself, which lies in the column, or where a limit was read to.
struct SortPart {
  SortRank rank;
  std::string_view word = {};
};

// A key of the order over a partition, and the chunk that is looked at.
class PlacedKey {
 public:
  // Borrows both.
  PlacedKey(const query::SortKey& key, const schema::Schema& schema, const clauses::SearchedPartition& partition);

  const query::SortKey& key() const { return *key_; }
  bool is_column() const { return key_->by == query::SortKey::By::kColumn; }
  bool is_word() const { return type_ == schema::FieldType::kKeyword; }
  SortRank missing() const { return {key_->missing_first ? Presence::kMissingFirst : Presence::kMissingLast, 0}; }
  std::uint64_t in_order(std::uint64_t number) const { return key_->descending ? ~number : number; }
  // Of the parts of two documents.
  std::strong_ordering compare(const SortPart& a, const SortPart& b) const;
  void append(const SortPart& part, std::string& bytes) const;

  // Of a column only. The rank of a word is 2 · code + 1, so that words which the chunk lacks have ranks between.
  void look_at(std::uint32_t chunk) { chunk_ = column_ == nullptr ? nullptr : &column_->chunk(chunk); }
  SortRank rank_of(std::uint32_t document) const;
  SortPart part_of(std::uint32_t document) const;
  // Of a document of another chunk, among the ranks of this one.
  SortRank rank_here(const SortPart& part) const;
  // Ranks from one to another, both included, as codes of the chunk; none if `last` is before `first`.
  struct Range {
    std::uint64_t first = 1, last = 0;
    bool with_missing = false;
  };
  Range range_of(const SortRank& low, const SortRank& high) const;
  // Takes those out of `documents` whose rank is not in the range.
  void keep_in_range(const Range& range, Bits& documents) const;
  // Those of `documents`, bits of the documents 64 · word …, whose rank is.
  std::uint64_t in_range(const Range& range, std::uint32_t word, std::uint64_t documents) const;

 private:
  std::uint64_t code_of(std::uint32_t document) const;

  const query::SortKey* key_;
  schema::FieldType type_ = schema::FieldType::kInteger;
  const partition::ValueColumn* column_ = nullptr;  // null: no document has a value
  const Chunk* chunk_ = nullptr;
};

}  // namespace frond::leaf::collect
