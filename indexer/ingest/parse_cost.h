#pragma once
// What turning a record into a document takes, told before it is done: the memory of a build is limited, and a page's
// tree, or JSON of many small values, takes many times the record.
#include <cstdint>

#include "indexer/ingest/record_reader.h"

namespace frond::indexer::ingest {

struct ParseCost {
  // Bytes at most, at any time: the record, what parsing makes of it, the document, and its tokens and stored fields.
  std::uint64_t bytes = 0;
  // Of these, for the elements of a page. Honest pages take half of it; html_to_text() refuses pages that take more.
  std::uint64_t tree_bytes = 0;
};
// Any thread. Looks at every byte of records that could be dear, which costs little beside parsing them.
ParseCost parse_cost(const RawRecord& record);

}  // namespace frond::indexer::ingest
