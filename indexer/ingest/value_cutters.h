#pragma once
// Cutters of records that may hold line ends: JSON values and CSV rows. See record_cutter.h.
#include <memory>

#include "indexer/ingest/record_cutter.h"

namespace frond::indexer::ingest {

// JSON values one after the other, or inside one array: found by their brackets and strings alone.
std::unique_ptr<RecordCutter> json_cutter(std::size_t max_bytes);
// CSV rows below their header, with the columns that it names. Without such a header the file is one malformed record.
std::unique_ptr<RecordCutter> csv_cutter(std::size_t max_bytes);

}  // namespace frond::indexer::ingest
