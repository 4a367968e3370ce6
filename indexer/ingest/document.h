#pragma once
// A document as a source format gives it to the analyzer and the store.
#include <cstddef>
#include <string>

#include "common/partition/partition_writer.h"
#include "common/scoring/prior.h"
#include "common/text/field_limits.h"

namespace frond::indexer::ingest {

using partition::kMaxDocumentBytes;
using text::kMaxIdBytes;
using text::kMaxTitleBytes;
using text::kMaxUrlBytes;

// All four fields are valid UTF-8 and have at most kMaxDocumentBytes together. The id is not empty and has at most
// kMaxIdBytes and no control characters. URL, title and body may be empty, and have no NULs; kMaxTitleBytes and
// kMaxUrlBytes bound them.
struct Document {
  std::string id, url, title, body;
  scoring::Prior prior = 0;  // its static prior
  bool title_cut = false;    // the title was too long: the rest begins the body
  bool url_dropped = false;  // the URL was too long
  bool not_utf8 = false;     // the record was decoded, or bytes of it became U+FFFD; of formats with one_encoding
};

}  // namespace frond::indexer::ingest
