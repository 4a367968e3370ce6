#pragma once
// WARC and ARC files to pages.
#include <memory>

#include "indexer/ingest/archive_block.h"
#include "indexer/ingest/record_cutter.h"

namespace frond::indexer::ingest {

// Numbers records of all types from 1. A record whose head is broken is a bad record; the next one begins with the next
// line that is a version, "WARC/1.0". A head has at most kMaxWarcHead bytes, so has that of an HTTP response. What is
// in `bytes` of a cut is a WarcPage.
std::unique_ptr<RecordCutter> warc_cutter(std::size_t max_bytes);
// The same of ARC files, where a record begins with a line that is an arc_head().
std::unique_ptr<RecordCutter> arc_cutter(std::size_t max_bytes);

}  // namespace frond::indexer::ingest
