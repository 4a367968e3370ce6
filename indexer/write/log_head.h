#pragma once
// What is known of a collection's log outside of the log's folder: without it, a log that was cut looks like a shorter
// one, and a log that is gone like a new one. It is the file "log-head" beside the folder; docs/formats/log-head.md has
// its bytes.
//
// It is written after the log is synced and before a change is acknowledged, so it is never ahead of what the disk has.
// It is itself synced only when changes are published: after a crash of the machine it may be behind, and shows less.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::indexer::write {

// Of a collection, from 1, ascending in the order of acceptance; without gaps, but where a log was changed for another
// one, or what it lost was given up. Never used twice.
using Sequence = std::uint64_t;
inline constexpr Sequence kMaxSequence = std::uint64_t{1} << 62;  // a log that says more is damaged

inline constexpr const char* kLogHeadFile = "log-head";

struct LogHead {
  std::string log;         // OperationLog::id()
  Sequence last = 0;       // acknowledged
  Sequence published = 0;  // up to here the log has forgotten them, since a generation has them
  Sequence passed = 0;     // up to here some numbers may be missing: they were never used, or their loss was accepted
  bool settings = false;   // the log has the collection's settings
  friend bool operator==(const LogHead&, const LogHead&) = default;
};

// Of one length, whatever the numbers are. A log's identity has 16 hex digits.
std::string to_text(const LogHead& head);
// Any bytes are safe. kCorrupt: anything that to_text() does not make.
Result<LogHead> log_head_from_text(std::string_view text);

std::filesystem::path log_head_path(const std::filesystem::path& log_folder);
// Empty: there is none. kCorrupt, naming the file; kUnavailable.
Result<std::optional<LogHead>> read_log_head(const std::filesystem::path& path);

// The head of a log that is open. Thread-safe. Errors are kUnavailable.
class LogHeadFile {
 public:
  // Replaces the file, durably.
  static Result<std::unique_ptr<LogHeadFile>> create(const std::filesystem::path& path, const LogHead& head);
  // Not synced; does nothing if it is no more than what is known.
  Result<void> acknowledge(Sequence last);
  // These two are synced.
  Result<void> forget(Sequence published);
  Result<void> has_settings();

 private:
  LogHeadFile(std::filesystem::path path, LogHead head, files::Descriptor file)
      : path_(std::move(path)), head_(std::move(head)), file_(std::move(file)) {}
  Result<void> write(const LogHead& head, bool synced) FROND_REQUIRES(mutex_);

  const std::filesystem::path path_;
  Mutex mutex_;
  LogHead head_ FROND_GUARDED_BY(mutex_);
  const files::Descriptor file_;
};

// What a generation has of a log: Manifest::log_id and log_sequence.
struct PublishedChanges {
  std::string log_id;  // empty: of whichever
  Sequence sequence = 0;
};

// What a log has not that its head says that it has.
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

// Where changes are set aside that another service's are newer than: in `folder`, with the time in the name.
std::filesystem::path overtaken_file(const std::filesystem::path& folder, std::uint64_t epoch);

}  // namespace frond::indexer::write
