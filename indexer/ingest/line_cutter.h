#pragma once
// Cuts files in which a line is a record: one by one, or many at once. Finding single lines is work for many threads,
// which line_records.h is for; the thread that reads only looks for the end of the last one.
#include <cstddef>
#include <memory>

#include "indexer/ingest/record_cutter.h"

namespace frond::indexer::ingest {

std::unique_ptr<RecordCutter> line_cutter(std::size_t max_bytes);

}  // namespace frond::indexer::ingest
