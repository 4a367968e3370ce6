#pragma once
// frond import: an index of Elasticsearch or OpenSearch becomes a collection.
//
// Documents go to the indexer's service page by page, by their ids, and a file says how far that is: a run that is
// killed goes on with the next one. A page that was on its way then is sent again, which replaces documents by
// themselves. So none is missing, and none is there twice. At most two pages are in memory.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "common/base/result.h"
#include "tools/import/retried_requests.h"

namespace frond::tools {

struct ImportOptions {
  Server from, to;
  std::string index, collection;
  std::filesystem::path state;
  std::uint32_t page = 1000;  // documents
  unsigned retries = 10;
  bool skip = false;  // leave out fields that have nothing like them here
};

struct ImportEvents {
  std::function<void(const std::string& line)> said;
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

struct Imported {
  std::uint64_t documents = 0;  // read, of all runs
  std::uint64_t refused = 0;    // of these, by the service
};

// kInvalid: the mapping has what Frond does not; the collection is there already, and not by this import; the state is
// that of another one, or of one that is done; a server refuses. kNotFound: no such index. Others: RetriedRequests.
// Until all is read, the state is kept for the next run.
Result<Imported> import_index(const ImportOptions& options, const ImportEvents& events);

}  // namespace frond::tools
