#pragma once
// A file system without syncs, for making a database that is used only once it is complete: RocksDB would sync some
// thirty times an ingestion. Whoever keeps the database syncs its files and folder after closing it. Internal: includes
// RocksDB.
#include <memory>

#include <rocksdb/file_system.h>

namespace frond::partition {

// The default file system, except that syncs of files and folders succeed without doing anything. Any thread.
std::shared_ptr<rocksdb::FileSystem> unsynced_file_system();

}  // namespace frond::partition
