#pragma once
// A JSON object to a document; the only user of simdjson's parser.
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/document.h"
#include "indexer/ingest/field_names.h"
#include "indexer/ingest/raw_record.h"

namespace frond::indexer::ingest {

// SourceFormat::parse of both JSON formats: what json.h says.
Result<Document> parse_json(const RawRecord& record);
// SourceFormat::parse_fields of both.
Result<Document> parse_json_fields(const RawRecord& record, const FieldNames& names, std::string_view prior_field);

// What an object has, to recognise the format of a file.
struct JsonFields {
  bool object = false;  // it is a whole and valid object
  bool id = false, title_or_body = false, body = false;
};
JsonFields fields_of_json(std::string_view json, const FieldNames& names);

}  // namespace frond::indexer::ingest
