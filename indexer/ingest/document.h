#pragma once
// A document as its source gives it: what crosses from a source format to the analyzer and the store.
#include <cstddef>
#include <string>

#include "common/partition/partition_writer.h"
#include "common/text/field_limits.h"

namespace frond::indexer::ingest {

using partition::kMaxDocumentBytes;
using text::kMaxIdBytes;
using text::kMaxTitleBytes;
using text::kMaxUrlBytes;

// All four fields are valid UTF-8, and kMaxDocumentBytes together at most. Only the id is never empty; it has at most
// kMaxIdBytes and no control characters. Title and URL have at most kMaxTitleBytes and kMaxUrlBytes.
struct Document {
  std::string id, url, title, body;
  bool title_cut = false;    // the rest of it begins the body
  bool url_dropped = false;  // it was too long
};

}  // namespace frond::indexer::ingest
