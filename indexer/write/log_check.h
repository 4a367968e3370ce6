#pragma once
// Whether a log still has what its head says that it has.
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "indexer/write/log_head.h"
#include "indexer/write/operation_log.h"

namespace frond::indexer::write {

struct LogLoss {
  std::vector<std::pair<Sequence, Sequence>> ranges;  // that are missing, ascending; the first kMaxRanges
  std::uint64_t changes = 0;                          // in all ranges
  bool settings = false;                              // of a collection of which nothing is published
  std::string unreadable;                             // why; empty: the log can be read, or is gone
  bool shorter = false;                               // something is missing; without the above, nothing that counts
  static constexpr std::size_t kMaxRanges = 16;

  bool any() const { return changes > 0 || settings || !unreadable.empty(); }
  // "27 acknowledged changes are missing: 31 to 57".
  std::string text() const;
};

// kCorrupt: something in the log's folder is neither a file nor a folder. RocksDB would wait for a pipe.
Result<void> expect_files(const std::filesystem::path& folder);
// Changes nothing in the folder, so that files which are put back count again. What is `published` is not missed, nor
// what the head has passed. kOverloaded: a service has the log open; kUnavailable.
Result<LogLoss> find_loss(const std::filesystem::path& folder, const LogHead& head, const PublishedChanges& published);

// Goes on without what is missing, once and for all: notes it in the head. A log or a head that can't be read is moved
// away, to "overtaken-…" beside it; without its head nobody knows what a log should have. Gives what was missing; if
// that is nothing, nothing is changed. Errors as find_loss(); kNotFound: there is no head, so nothing is known to be
// missing.
Result<LogLoss> accept_loss(const std::filesystem::path& folder, const PublishedChanges& published);

}  // namespace frond::indexer::write
