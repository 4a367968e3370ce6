#pragma once
// A record a line: JSON Lines and TSV.
#include <memory>

#include "indexer/ingest/record_cutter.h"

namespace frond::indexer::ingest {

// Records are numbered by line. Lines of nothing but white space are no records. Line ends are "\n" and "\r\n".
std::unique_ptr<RecordCutter> line_cutter(std::size_t max_bytes);

}  // namespace frond::indexer::ingest
