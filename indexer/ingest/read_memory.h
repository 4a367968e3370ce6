#pragma once
// Memory that blocks of a file were read into, for those of the next file: new memory is set to zeros, and comes from
// the system page by page.
#include <string>
#include <vector>

namespace frond::indexer::ingest {

using ReadMemory = std::vector<std::string>;

}  // namespace frond::indexer::ingest
