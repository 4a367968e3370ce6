#pragma once
// A file system for databases that are made in one go and are nothing until they are whole: what RocksDB would sync on
// the way, some thirty times an ingestion, stays in the page cache. Who keeps such a database syncs its files and its
// folder when it is closed. Internal: includes RocksDB.
#include <memory>

#include <rocksdb/file_system.h>

namespace frond::partition {

// The usual one, but for fsync and fdatasync of files and folders, which succeed and do nothing. Any thread.
std::shared_ptr<rocksdb::FileSystem> unsynced_file_system();

}  // namespace frond::partition
