#pragma once
// A record to a document.
#include "common/base/result.h"
#include "indexer/ingest/document.h"
#include "indexer/ingest/raw_record.h"

namespace frond::indexer::ingest {

struct ParseOptions {
  bool make_ids = false;     // a record without an id gets content_id()
  bool store_bodies = true;  // false: bodies are indexed, not stored
};

// Any thread. kInvalid: the record is malformed; the message is a BadRecord's reason (without file and number).
Result<Document> parse_record(const RawRecord& record, ParseOptions options = {});

}  // namespace frond::indexer::ingest
