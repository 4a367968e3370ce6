#pragma once
// The tables of a partition's published files, without a database: each file is a sorted table of its own, and those of
// a family follow each other. Files are opened when they are first asked; that reads a file's index, about 20 bytes for
// each 4 KiB of it. Internal: includes RocksDB.
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <rocksdb/env.h>
#include <rocksdb/iterator.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include "common/partition/format/format.h"
#include "common/partition/partition_writer.h"

namespace frond::partition {

// One thread. Files of heads, priors, token codes and sources are not among the tables: nobody asks for them here.
class FileTables {
 public:
  // files: those of a PartitionSummary, in `folder`. `env` opens them, and outlives this; its files are as `reads`
  // says. `values`: not empty: of the arrays, only files with that stem (format.h), which are no file of a family.
  FileTables(const std::filesystem::path& folder, std::span<const PartitionFile> files, rocksdb::Env& env,
             FileReads reads = FileReads::kMapped, std::string_view values = {});
  ~FileTables();
  FileTables(const FileTables&) = delete;
  FileTables& operator=(const FileTables&) = delete;

  // Opens what get() and an iterator's Seek() need for this key: they open nothing then. NotFound: there is no table.
  rocksdb::Status prepare(Family family, std::string_view key);
  // Copies the value. Errors as those of rocksdb::DB::Get(); Corruption also: a file has another size than it should.
  rocksdb::Status get(Family family, std::string_view key, rocksdb::PinnableSlice& value);
  // Over all files of the family. Used while this exists.
  std::unique_ptr<rocksdb::Iterator> iterator(Family family);

 private:
  class Over;
  struct File;
  using Files = std::vector<std::unique_ptr<File>>;  // in the order of their keys

  rocksdb::Status open(File& file) const;
  rocksdb::Status learn_first(File& file) const;
  // The last file that begins at `key` or before it; the first one if none does. There is one at least.
  rocksdb::Status find(const Files& files, std::string_view key, std::size_t& found) const;

  rocksdb::Env& env_;
  const FileReads reads_;
  std::array<Files, kFamilyNames.size()> files_;
};

}  // namespace frond::partition
