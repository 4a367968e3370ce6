#pragma once
// A collection's log: what was accepted and is not published yet, synced before it is acknowledged. Beside it what must
// survive with it: the collection's settings before its first generation, and the idempotency keys of requests.
//
// It is a RocksDB database in <repository>/<collection>/log. RocksDB locks it, so one process at a time writes a
// collection; the system ends a dead process's lock. Concurrent appends share one sync.
//
// Keys: "o" + sequence (8 bytes, big-endian): an operation. "s": the settings. "n": the last sequence that was
// forgotten. "k" + an idempotency key: what it stands for. "r" + number (8 bytes): the key that was taken with it.
// "i": the log's identity. "e": the epoch of the lease that it was last used in, 0: in none; absent: before it was
// noted.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "indexer/write/log_head.h"

namespace rocksdb {
class DB;
class Status;
class WriteBatch;
}  // namespace rocksdb

namespace frond::indexer::write {

inline constexpr const char* kLogFolder = "log";
// In errors after which what was asked for may be in the log, or done, all the same; after others it is not. Clients
// look for "may or may not have been accepted", as a broker has it, too, of a service that gave it no answer.
inline constexpr std::string_view kMayBeAccepted = "it may or may not have been accepted";
inline constexpr std::uint64_t kKeptKeys = 10'000;  // idempotency keys of a collection

// What clients change in a collection, one document at a time.
struct Operation {
  std::string id;    // external id
  std::string line;  // the document, as a line of format jsonl; empty: the document with that id is removed
  bool removes() const { return line.empty(); }
  // What it counts in limits: also for the memory beside its texts, of which removals have little.
  static constexpr std::uint64_t kOwnBytes = 128;
  std::uint64_t bytes() const { return kOwnBytes + id.size() + line.size(); }
};

// Operations in a row, as one change: of each id only what became of it.
struct Folded {
  std::vector<const Operation*> documents;  // the last one of each id that is not removed, in the order of acceptance
  std::vector<std::string> removed_ids;     // whose last operation removes
};

// What it gives refers to `operations`.
Folded folded(std::span<const Operation> operations);

// A request that may come again. Both are the client's.
struct RequestMark {
  std::string key;   // 1 to 128 printable bytes
  std::string body;  // a digest of the request's body
};

struct Appended {
  Sequence last = 0;      // of the operations
  bool repeated = false;  // they were appended before, by a request with the same mark
};

// After a write that failed for good (EIO, a file that may not grow) RocksDB takes no other. Then the log is opened
// again, when nobody uses it any more, by the next call, until that succeeds.
//
// Thread-safe. Errors of every method: kUnavailable or kCorrupt, naming the folder.
class OperationLog {
 public:
  // Makes the folder if it is missing. What is `published` of this log is in a generation, and is forgotten; if that
  // is of another log, this one's numbers go on above its. kOverloaded: another process, or another object, has it
  // open; kCorrupt also: changes that were acknowledged are missing (log_head.h), and which. Then it is as it was.
  static Result<std::unique_ptr<OperationLog>> open(const std::filesystem::path& folder,
                                                    const PublishedChanges& published);
  ~OperationLog();
  OperationLog(const OperationLog&) = delete;
  OperationLog& operator=(const OperationLog&) = delete;

  // All operations or none; synced. kInvalid: the mark's key was used with another body; kOverloaded: more than
  // `max_bytes` would wait.
  Result<Appended> append(std::span<const Operation> operations, const std::optional<RequestMark>& mark,
                          std::uint64_t max_bytes);
  // The same in two steps: what is written is read from then on, and may be acknowledged when it is synced. So is all
  // that was written before it.
  Result<Appended> write(std::span<const Operation> operations, const std::optional<RequestMark>& mark,
                         std::uint64_t max_bytes);
  Result<void> sync(const Appended& appended);

  // What append() or remember() took with this mark: the last sequence, or the number; empty: nothing. kInvalid: the
  // mark's key was used with another body.
  Result<std::optional<std::uint64_t>> known(const RequestMark& mark) const;
  // Of a request that appends nothing; synced.
  Result<void> remember(const RequestMark& mark, std::uint64_t number);

  struct Taken {
    std::vector<Operation> operations;
    std::vector<Sequence> numbers;  // of these; there may be gaps
    Sequence last = 0;              // all before it are taken: the last of these, or higher where no more follow
    std::uint64_t bytes = 0;
  };
  // What follows `after`, in order: at least one operation if there is one, then as many as are within `max_bytes`, and
  // `most` of them.
  static constexpr std::size_t kAll = ~std::size_t{0};
  Result<Taken> read(Sequence after, std::uint64_t max_bytes, std::size_t most = kAll) const;
  // What is up to `last` is in a published generation.
  Result<void> forget(const Taken& taken);

  Sequence last() const { return last_.load(); }                // accepted
  Sequence synced() const { return synced_.load(); }            // of these: up to here, or further
  Sequence published() const { return published_; }             // when it was opened: before those that wait
  std::uint64_t operations() const { return waiting_.load(); }  // that wait to be published
  std::uint64_t bytes() const { return bytes_.load(); }         // of these

  // Whether it was shorter than its head says when it was opened, though no acknowledged change is missing: then it may
  // have lost idempotency keys.
  bool was_shortened() const { return was_shortened_; }

  // Random; made with the log, and safe as a file's name.
  const std::string& id() const { return id_; }
  // Takes all operations that wait out of the log, into a new synced file: documents as lines of format jsonl, removals
  // as {"removed":id}. Writes no file if there are none. Not beside other calls.
  Result<void> set_aside(const std::filesystem::path& file);
  // 0: in none.
  Result<std::uint64_t> epoch() const;
  Result<void> set_epoch(std::uint64_t epoch);
  // Forgets the idempotency keys: they are of a collection that was removed. Not beside other calls.
  Result<void> forget_keys();

  // Empty: there are none.
  Result<std::string> settings() const;
  Result<void> set_settings(std::string_view json);

 private:
  using Db = std::shared_ptr<rocksdb::DB>;
  OperationLog(std::filesystem::path folder, Db db);
  Result<Db> db() const;
  Result<Db> open_again() const;
  // The same as a value, of a write to the database.
  Result<void> written(const Db& db, const rocksdb::Status& status) const;
  Result<std::optional<std::string>> get(std::string_view key) const;  // empty: there is none
  // These two are synced.
  Result<void> put(std::string_view key, std::string_view value);
  Result<void> write_synced(rocksdb::WriteBatch& batch);
  Result<void> recover(const PublishedChanges& published, const LogHead& known);
  Result<void> identify(const std::string& known);
  Result<void> write_lines(const files::Descriptor& out, const std::filesystem::path& file) const;  // … and syncs it
  Result<void> add_mark(rocksdb::WriteBatch& batch, const RequestMark& mark, std::uint64_t number) const
      FROND_REQUIRES(appending_);
  Error error(const std::string& what) const;

  const std::filesystem::path folder_;
  mutable Mutex db_mutex_;
  mutable Db db_ FROND_GUARDED_BY(db_mutex_);                               // null: to be opened again
  mutable std::weak_ptr<rocksdb::DB> closing_ FROND_GUARDED_BY(db_mutex_);  // before that
  std::string id_;
  std::unique_ptr<LogHeadFile> head_;
  Sequence published_ = 0;
  bool was_shortened_ = false;
  Mutex appending_;                                      // numbers operations in the order in which they are written
  std::uint64_t keys_ FROND_GUARDED_BY(appending_) = 0;  // idempotency keys ever taken
  std::atomic<Sequence> last_ = 0, synced_ = 0;
  std::atomic<std::uint64_t> waiting_ = 0, bytes_ = 0;
};

}  // namespace frond::indexer::write
