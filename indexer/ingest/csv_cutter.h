#pragma once
// Rows of CSV, whose quoted fields may hold line ends.
#include <memory>

#include "indexer/ingest/record_cutter.h"

namespace frond::indexer::ingest {

// Cuts the rows below the header; Cut::columns says what the header names. If it names no column of text, the file is
// one bad record.
std::unique_ptr<RecordCutter> csv_cutter(std::size_t max_bytes);

}  // namespace frond::indexer::ingest
