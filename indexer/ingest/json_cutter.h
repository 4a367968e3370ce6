#pragma once
// JSON values, which may hold line ends.
#include <memory>

#include "indexer/ingest/record_cutter.h"

namespace frond::indexer::ingest {

// Cuts JSON values that follow one another, or that are the elements of one array. Looks at brackets and strings only;
// whether a value is valid JSON is for the parser to say. A value in which one of these is missing is a bad record,
// that ends where the next object begins.
std::unique_ptr<RecordCutter> json_cutter(std::size_t max_bytes);

}  // namespace frond::indexer::ingest
