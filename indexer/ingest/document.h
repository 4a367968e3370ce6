#pragma once
// A document as its source gives it: what crosses from a source format to the analyzer and the store.
#include <cstddef>
#include <string>

#include "common/partition/partition_writer.h"

namespace frond::indexer {

using partition::kMaxDocumentBytes;
inline constexpr std::size_t kMaxIdBytes = 1024;

// All four are valid UTF-8. Only the id is never empty; it has at most kMaxIdBytes and no control characters.
struct Document {
  std::string id, url, title, body;
};

}  // namespace frond::indexer
