#pragma once
// What a document of a collection with a schema has beside its four texts, as one record of bytes: it travels from the
// parser through spools and partitions as it is, so whoever passes documents on (build, add, merge, renumbering) copies
// the record without knowing what is in it. Layout: docs/formats/partition.md, "Document values".
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/schema/schema.h"
#include "common/schema/value.h"

namespace frond::partition {

struct DocumentValues {
  // Values of a column, ascending and distinct; at least one, and only one unless the field is `many`.
  struct Column {
    std::uint32_t field = 0;  // its place in Schema::fields
    std::vector<schema::Value> values;
    friend bool operator==(const Column&, const Column&) = default;
  };
  // Of a text field with field_search: tokens of the document in it, at least one.
  struct Length {
    std::uint32_t field = 0;
    std::uint32_t tokens = 0;
    friend bool operator==(const Length&, const Length&) = default;
  };
  std::vector<Column> columns;  // by ascending field
  std::vector<Length> lengths;  // likewise
  ByteView codes;               // TokenCodesWriter (token_codes.h); empty: no positions
  std::string_view source;      // the document as it was given, JSON; empty: not kept
};

inline constexpr std::size_t kMaxValuesOfField = 1024;               // of one document in one column
inline constexpr std::size_t kMaxSourceBytes = 64u << 20;            // of one document
inline constexpr std::size_t kMaxValuesBytes = 2 * kMaxSourceBytes;  // of one record: a writer refuses larger ones

// Appends the record; nothing for a document without any of it.
void encode_values(const DocumentValues& values, ByteBuffer& out);
// Borrows `record`, but for the values. An empty record has nothing. kCorrupt: anything that encode_values() does not
// write, or a field that is no column or no text of the schema.
Result<DocumentValues> decode_values(ByteView record, const schema::Schema& schema);

}  // namespace frond::partition
