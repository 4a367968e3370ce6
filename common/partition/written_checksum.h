#pragma once
// XXH3-128 of files while RocksDB writes them, so that nobody reads them again for it. Internal: includes RocksDB.
#include <memory>

#include <rocksdb/file_checksum.h>

namespace frond::partition {

// The checksums are Xxh3::hex() (file_checksum.h). Any thread.
std::shared_ptr<rocksdb::FileChecksumGenFactory> xxh3_of_written_files();

}  // namespace frond::partition
