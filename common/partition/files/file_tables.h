#pragma once
// The tables of a partition: each file is a sorted table of its own, and those of a family follow each other. To open a
// file reads its index, about 20 bytes for each 4 KiB of it. Internal: includes RocksDB.
#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <rocksdb/env.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include "common/base/result.h"
#include "common/partition/format/format.h"
#include "common/partition/partition_writer.h"

namespace frond::partition {

// Which files are of a family, by their names.
using OfFamily = bool (*)(Family family, std::string_view file);

// Files are opened when they are first asked, and then it is one thread's; any thread's behind open_all(). With
// FileReads::kBuffered and without open_all(), an iterator that goes on to the next file closes the one before.
class FileTables {
 public:
  // files: those of a PartitionSummary, in `folder`. `env` opens them, and outlives this; its files are as `reads`
  // says.
  FileTables(const std::filesystem::path& folder, std::span<const PartitionFile> files, rocksdb::Env& env,
             FileReads reads = FileReads::kMapped, OfFamily of_family = is_file_of);
  ~FileTables();
  FileTables(const FileTables&) = delete;
  FileTables& operator=(const FileTables&) = delete;

  // PathNotFound: a file is gone.
  rocksdb::Status open_all();
  // Opens what get() and an iterator's Seek() need for this key: they open nothing then. NotFound: there is no table.
  rocksdb::Status prepare(Family family, std::string_view key);
  // Copies the value. Errors as those of rocksdb::DB::Get(); Corruption also: a file has another size than it should.
  rocksdb::Status get(Family family, std::string_view key, rocksdb::PinnableSlice& value);
  // Over all files of the family. Used while this exists.
  std::unique_ptr<rocksdb::Iterator> iterator(Family family);
  // Of each block of the files that are open.
  rocksdb::Status verify_checksums();

 private:
  class Over;
  struct File;
  using Files = std::vector<std::unique_ptr<File>>;  // in the order of their keys

  rocksdb::Status open(File& file) const;
  rocksdb::Status learn_first(File& file) const;
  // The last file that begins at `key` or before it; the first one if none does. There is one at least.
  rocksdb::Status find(const Files& files, std::string_view key, std::size_t& found) const;

  const rocksdb::Options options_;
  bool closes_passed_ = false;
  std::array<Files, kFamilyNames.size()> files_;
};

}  // namespace frond::partition
