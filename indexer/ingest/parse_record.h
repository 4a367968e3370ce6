#pragma once
// A record to a document.
#include <memory>
#include <string>

#include "common/base/result.h"
#include "indexer/ingest/document.h"
#include "indexer/ingest/field_names.h"
#include "indexer/ingest/raw_record.h"

namespace frond::indexer::ingest {

struct ParseOptions {
  bool make_ids = false;     // a record without an id gets content_id()
  bool store_bodies = true;  // false: bodies are indexed, not stored
  // The field that holds a document's static prior, a number from 0 to scoring::kMaxPriorValue; a record without it has
  // none. Only formats with SourceFormat::parse_fields have such fields. Empty: no document has a prior.
  std::string prior_field = {};
  std::shared_ptr<const FieldNames> names = nullptr;  // null: the usual ones
};

// Any thread. kInvalid: the record is malformed; the message is a BadRecord's reason (without file and number).
Result<Document> parse_record(const RawRecord& record, const ParseOptions& options = {});

}  // namespace frond::indexer::ingest
