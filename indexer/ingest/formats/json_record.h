#pragma once
// One JSON object as simdjson's parser has it, read as a document.
#include <simdjson.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/scoring/prior.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/formats/json_document.h"
#include "indexer/ingest/records/document.h"
#include "indexer/ingest/records/document_fields.h"

namespace frond::indexer::ingest {

// A field that is there and not null.
struct JsonField {
  std::string_view name;
  simdjson::dom::element value;
  std::vector<simdjson::dom::element> more = {};  // further values of a path
};

// One object, whose numbers may stand aside. Borrows it, and the words.
class JsonRecord {
 public:
  // `words`: null if numbers do not stand aside.
  JsonRecord(const simdjson::dom::object& object, const JsonWords* words) : object_(object), words_(words) {}
  // kInvalid: it has no text, or a field has a value that it cannot have; the message names the field.
  Result<Document> document(const NamedFields& fields);
  // The first of `names`; absent: none is there.
  std::optional<JsonField> first_of(std::span<const std::string> names, bool paths) const;
  // A number has to be taken as it was written, so that what was given has no meaning.
  bool needs_words() const { return needs_words_; }

 private:
  std::string_view append_scalar(const simdjson::dom::element& value, std::string& out);
  Result<void> append_text(const std::optional<JsonField>& field, char separator, std::string& text);
  Result<void> take_id(const std::optional<JsonField>& field, std::string& id);
  Result<scoring::Prior> prior_of(const std::string& name);
  Result<void> take_fields(const FieldReading& reading, DocumentFields& to);
  Result<void> add_value(const simdjson::dom::element& value, ColumnReader& column);
  Result<void> take_weights(const JsonField& found, const schema::Field& field, bool coerce, DocumentFields& to);
  // Of a double. Empty: there are no words.
  std::string_view written(const simdjson::dom::element& number) {
    needs_words_ |= words_ == nullptr;
    return words_ == nullptr ? std::string_view() : words_->written(double(number));
  }

  const simdjson::dom::object& object_;
  const JsonWords* words_;
  bool needs_words_ = false;
};

}  // namespace frond::indexer::ingest
