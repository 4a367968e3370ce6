// The database of operation_log.h: how it is opened, also again.
#include <memory>

#include <rocksdb/db.h>

#include "common/partition/files/rocks.h"
#include "indexer/write/log_keys.h"
#include "indexer/write/operation_log.h"

namespace frond::indexer::write {
namespace {

using partition::slice_of;
using partition::text_of;

// The highest number of an operation that is there; 0: none.
Result<Sequence> highest(rocksdb::DB& db, const std::filesystem::path& folder) {
  const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator({}));
  at->SeekForPrev(slice_of(numbered(kOperation, ~Sequence{0})));
  FROND_TRY(checked(at->status(), folder));
  if (!at->Valid() || at->key()[0] != kOperation) return 0;
  return number_of(text_of(at->key())).value_or(0);
}

}  // namespace

rocksdb::Options log_options() {
  rocksdb::Options options = partition::table_options(partition::FileReads::kBuffered);
  options.create_if_missing = true;
  options.disable_auto_compactions = false;
  options.write_buffer_size = std::size_t{4} << 20;
  options.max_write_buffer_number = 2;
  // Below what malloc gives back to the system when it is freed (pipeline/memory.cc): pages that are new to the process
  // cost more than the bytes that are copied to them.
  options.arena_block_size = std::size_t{256} << 10;
  // So that most of what a compaction reads was forgotten by then, which costs nothing to leave out. Writes don't wait
  // for it.
  options.level0_file_num_compaction_trigger = 16;
  options.level0_slowdown_writes_trigger = 64;
  options.level0_stop_writes_trigger = 96;
  options.max_open_files = 64;
  options.max_manifest_file_size = std::uint64_t{4} << 20;
  // A torn end of the write-ahead log was never acknowledged; anything else that is wrong is told.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  return options;
}

// RocksDB has no status of its own for a lock that is held; the path that it names may contain any word.
bool is_held(const rocksdb::Status& status) {
  const std::string text = status.ToString();
  if (text.starts_with("IO error: lock hold by current process")) return true;
  return text.starts_with("IO error: While lock file") && !text.ends_with("No locks available");
}

Result<void> checked(const rocksdb::Status& status, const std::filesystem::path& folder) {
  if (status.ok()) return {};
  return partition::error_of(status, folder.string());
}

Result<OperationLog::Db> OperationLog::db() const {
  const MutexLock lock(db_mutex_);
  if (db_ != nullptr) return db_;
  if (!closing_.expired()) return Error(Code::kUnavailable, folder_.string() + ": is closed after its disk failed");
  db_ = FROND_TRY(open_again());
  return db_;
}

// All that was written is read again from the disk. If something of it is missing, only a start of the service can tell
// what that means (find_loss()).
Result<OperationLog::Db> OperationLog::open_again() const {
  rocksdb::DB* opened = nullptr;
  FROND_TRY(checked(rocksdb::DB::Open(log_options(), folder_.string(), &opened), folder_));
  Db again(opened);
  const Sequence there = FROND_TRY(highest(*again, folder_));
  if (there == last_ || waiting_ == 0) return again;
  return Error(Code::kUnavailable, folder_.string() + ": was opened again after its disk failed and ends at " +
                                       std::to_string(there) + ", not at " + std::to_string(last_) +
                                       "; start the service again");
}

// After a write that failed RocksDB takes no more until it is told that the disk may be well again.
Result<void> OperationLog::written(const Db& db, const rocksdb::Status& status) const {
  if (status.ok() || db->Resume().ok()) return checked(status, folder_);
  const MutexLock lock(db_mutex_);
  if (db_ == db) {
    closing_ = db;
    db_ = nullptr;
  }
  return checked(status, folder_);
}

}  // namespace frond::indexer::write
