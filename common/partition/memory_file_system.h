#pragma once
// A file system whose new files are in memory, for SST files that become parts of another file. Internal: includes
// RocksDB.
#include <memory>
#include <string>

#include <rocksdb/file_system.h>

namespace frond::partition {

// New files append to `bytes`, whatever their names are; there is one at a time. Everything else is the default file
// system's. `bytes` outlives it.
std::shared_ptr<rocksdb::FileSystem> memory_file_system(std::string& bytes);

}  // namespace frond::partition
