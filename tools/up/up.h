#pragma once
// `frond up`: a whole search service on this machine, with one command and one folder. It indexes, then runs the
// indexer's service, a leaf and a broker, which talk over local sockets; the broker has the one port, for searches and
// changes.
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace frond::tools::up {

struct Options {
  std::vector<std::string> inputs;  // none: documents come over HTTP
  std::string data = "frond-data";
  std::string collection = "docs";
  std::string http = "127.0.0.1:8080";  // port 0: any that is free
  std::string elasticsearch_api;        // HOST:PORT; empty: none
  std::string schema;                   // file of a schema, or "infer"; empty: none
  std::uint32_t partitions = 0;         // 0: one for each core, at most 8
  bool logs_to_stderr = false;          // of the programs; else to files in `data`
  bool reindex = false;                 // the inputs replace what the folder has
};

// Until a signal asks for the end, and all programs have ended. Errors are for people, one line.
Result<void> run(Options options);

}  // namespace frond::tools::up
