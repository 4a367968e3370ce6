#pragma once
// JSON objects: a line each (jsonl), or in an array or one after the other (json). Fields have the names of
// field_names.h; others are ignored. Text, numbers, true, false and lists of them are taken; the values of a list are
// joined by spaces, in the body by line ends. Missing or null fields are empty, but title or body must be there, and
// the id is text or a whole number. UTF-8.
#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

extern const SourceFormat kJsonl, kJson;

}  // namespace frond::indexer::ingest
