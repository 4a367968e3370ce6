#pragma once
// By what hits are ordered: columns, the score and the documents' order, one after the other; and what a document has
// of them, as bytes whose order is that of the hits. Pure functions.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/schema/schema.h"
#include "common/scoring/bm25.h"

namespace frond::query {

inline constexpr std::size_t kMaxSortKeys = 8;
inline constexpr std::size_t kMaxSortTextBytes = kMaxSortKeys * (schema::kMaxFieldNameBytes + 16);  // of sort_text()
inline constexpr std::string_view kByScore = "_score", kByOrder = "_order";

struct SortKey {
  enum class By : std::uint8_t { kColumn, kScore, kOrder };
  By by = By::kColumn;
  std::string field;  // of kColumn
  // Of several values of a document the least counts, descending the greatest.
  bool descending = false;
  bool missing_first = false;  // documents without a value; of kColumn
  friend bool operator==(const SortKey&, const SortKey&) = default;
};
// Ties are in the documents' order, ascending.
using SortOrder = std::vector<SortKey>;

// "year:desc:first,_score,_order": of each key its name, `asc` or `desc` (a score's default is desc, others' asc),
// `first` or `last` (the default) for documents without a value. What stands behind `_order` decides nothing and is
// left out. kInvalid: anything else, a key that is there twice, more than kMaxSortKeys; the message names the key, and
// follows the name of what the text was given as.
Result<SortOrder> parse_sort(std::string_view text);
// Everything said, so equal for equal orders; parse_sort() reads it.
std::string sort_text(const SortOrder& order);
// kInvalid: a key is no column of the schema (with the three nearest names).
Result<void> check_sort(const SortOrder& order, const schema::Schema& schema);
bool needs_scores(const SortOrder& order);

// What a document has of each key, one behind the other, so that the bytes of a document that comes first are the
// smaller ones, compared as unsigned bytes; equal ones are in the documents' order.
class SortBytes {
 public:
  // `key` is typed (schema::typed_value) and of the type of the key's column.
  static void add_number(const SortKey& key, std::optional<std::uint64_t> ordering_key, std::string& to);
  static void add_keyword(const SortKey& key, std::optional<std::string_view> word, std::string& to);
  static void add_score(const SortKey& key, scoring::Score score, std::string& to);
  static void add_order(const SortKey& key, Ordinal ordinal, std::string& to);
};
inline constexpr std::size_t kMaxSortBytes = kMaxSortKeys * (2 * schema::kMaxKeywordBytes + 4);

// One value of a hit's `sort`: of a column, a score, an ordinal.
struct SortValue {
  std::optional<schema::Value> value;  // of a column; empty: the document has none
  scoring::Score score = 0;
  Ordinal ordinal = 0;
};
// The values that the bytes were made of. kCorrupt: they were not made for this order of this schema; accepts any.
Result<std::vector<SortValue>> read_sort_bytes(std::string_view bytes, const SortOrder& order,
                                               const schema::Schema& schema);

// A place in a sorted ranking: behind the document of this ordinal.
struct SortPosition {
  std::string bytes;
  Ordinal ordinal = 0;
  friend bool operator==(const SortPosition&, const SortPosition&) = default;
};

}  // namespace frond::query
