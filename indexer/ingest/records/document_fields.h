#pragma once
// What a document of a collection with a schema has beside its four texts, as its record gives it.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/partition/partition_writer.h"
#include "common/partition/values/document_values.h"
#include "common/partition/values/value_column.h"
#include "common/schema/schema.h"

namespace frond::indexer::ingest {

// Of the values of one document in one column, 8 and its size each, so that those of neighbours always fit together
// (partition::kMaxColumnChunkBytes).
inline constexpr std::size_t kMaxColumnBytes =
    partition::kMaxColumnChunkBytes / partition::ColumnChunkWriter::kChunkDocuments - 64;

// Of the weights of one document, of which most models give a few hundred.
inline constexpr std::size_t kMaxWeights = 65'536;
inline constexpr double kMaxWeight = 1e9;  // before it is scaled

struct DocumentFields {
  // A token of the field of weights, as it is: a term of the plain lists, with the impact as frequency.
  struct Weight {
    std::string token;  // 1 to text::kMaxTermBytes bytes of UTF-8 without NULs
    std::uint8_t impact = 1;
  };
  struct Text {
    std::uint32_t field = 0;  // its place in the schema
    std::string text;         // UTF-8 without NULs
  };
  std::vector<partition::DocumentValues::Column> columns;  // by ascending field
  std::vector<Text> texts;      // of text fields but title and body, by ascending field; none is empty
  std::vector<Weight> weights;  // by token, which differ
  bool any = false;             // the record has a member of the schema beside title and body, maybe without a value
  std::string source;           // JSON; empty unless the schema keeps it
  bool impacts_cut = false;     // a weight came to more than scoring::kMaxImpact, which it counts as
  std::uint32_t left_out = 0;   // values that are none of their field's type, with FieldReading::coerce
};

// How records are read.
struct FieldReading {
  const schema::Schema* schema = nullptr;  // null: there is none
  // Values are taken from other types where they can be (schema::Reading::kLenient), and left out where they can't.
  bool coerce = false;
};

// Whether a text field is a document's title or body, which records have by names of their own.
inline bool is_title_or_body(const schema::Field& field) {
  return field.type == schema::FieldType::kText && (field.name == "title" || field.name == "body");
}

// Collects the values of one column of one document.
class ColumnReader {
 public:
  // reading: of values, without `coerce`.
  ColumnReader(const schema::Field& field, std::uint32_t number, bool coerce,
               schema::Reading reading = schema::Reading::kStrict)
      : field_(field), coerce_(coerce), reading_(coerce ? schema::Reading::kLenient : reading), column_{number, {}} {}
  // kInvalid: it is none of the column's type, one too many, or they are too long together; the message names field,
  // value and type.
  Result<void> add(const schema::Value& raw);
  // The same of what is no scalar. what: "an object", for messages.
  Result<void> add_other(std::string_view what);
  // Appends the values, if there are any.
  void finish(DocumentFields& to) &&;

 private:
  const schema::Field& field_;
  const bool coerce_;
  const schema::Reading reading_;
  partition::DocumentValues::Column column_;
  std::size_t bytes_ = 0;
  std::uint32_t left_out_ = 0;
};

// Collects the weights of one document.
class WeightsReader {
 public:
  WeightsReader(const schema::Field& field, bool coerce) : field_(field), coerce_(coerce) {}
  // Scaled, rounded, and at most scoring::kMaxImpact (DocumentFields::impacts_cut); what is 0 then is left out.
  // kInvalid: it is not from 0 to kMaxWeight, the token cannot be a term, or there are too many; the message names
  // field, token and number.
  Result<void> add(std::string_view token, double weight);
  // The same of what is no number. what: "a string", for messages.
  Result<void> add_other(std::string_view token, std::string_view what);
  // kInvalid: a token is there twice.
  Result<void> finish(DocumentFields& to) &&;

 private:
  Result<void> refuse(std::string_view token, const std::string& what);

  const schema::Field& field_;
  const bool coerce_;
  std::vector<DocumentFields::Weight> weights_;
  bool cut_ = false;
  std::uint32_t left_out_ = 0;
};

}  // namespace frond::indexer::ingest
