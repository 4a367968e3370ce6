#pragma once
// What the fields of a collection's documents are, and which of them queries can name. A part of the manifest.
// Immutable once it is made; every function may be called from any thread.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/schema/value.h"

namespace frond::schema {

inline constexpr std::size_t kMaxFields = 256;
inline constexpr std::size_t kMaxFieldNameBytes = 64;
inline constexpr std::uint32_t kMaxFieldWeight = 100;
inline constexpr double kMaxScale = 1e6;

// One member of documents.
struct Field {
  std::string name;  // is_field_name()
  FieldType type = FieldType::kText;
  // Of columns.
  bool many = false;  // a document may have several values
  // Of text.
  std::uint32_t weight = 1;   // a word counts that many times in the list that plain queries use; 1 to kMaxFieldWeight
  bool positions = false;     // phrases can be searched
  bool field_search = false;  // title:word can be searched: the field has lists of its own
  bool stored = true;         // hits can show it, in snippets too
  std::string analyzer;       // text::kAnalyzerNames; empty: that of the collection
  // Of weights: a document's weights are multiplied by it, then rounded. Above 0, at most kMaxScale.
  double scale = 1;
  friend bool operator==(const Field&, const Field&) = default;
};

enum class Scorer : std::uint8_t { kBm25, kImpact };
inline constexpr std::string_view kScorerNames[] = {"bm25", "impact"};

struct Schema {
  std::vector<Field> fields;   // in the order in which they were declared; names differ
  bool source_stored = false;  // the document as it was given is kept
  Scorer scorer = Scorer::kBm25;

  // Null: there is no field of that name.
  const Field* find(std::string_view name) const;
  // Whether phrases that name no field can match: some text field has positions.
  bool has_positions() const;
  std::vector<std::string_view> names() const;
  friend bool operator==(const Schema&, const Schema&) = default;
};

// 1 to kMaxFieldNameBytes ASCII letters, digits, '_', '-' and '.', a letter first: such a name needs no quotes in a
// query, in a list of fields or in an order of sorting. `id`, `url`, `source`, `snippet` and the other members of a
// hit have meanings of their own.
bool is_field_name(std::string_view name);

// kInvalid: more than kMaxFields fields, a name that is no field name or is there twice, a value out of its range, a
// member that this type has not, more than one field of weights or one without the scorer `impact`, or that scorer
// without one. The message names the field and the member ("fields.title.weight …").
Result<void> check(const Schema& schema);

// Whether documents written by `old` stay right under `wanted`: it has all fields of `old` unchanged, and may have
// more. kInvalid: it does not; the message names the field and the member.
Result<void> check_extends(const Schema& old, const Schema& wanted);
// `wanted` with the fields of `old` first, in their order: what is stored names fields by their places. Errors as
// check_extends().
Result<Schema> extended(const Schema& old, Schema wanted);

// kInvalid: "field 'yaer' is not in the schema; the nearest names are …".
Error unknown_field(const Schema& schema, std::string_view name);

}  // namespace frond::schema
