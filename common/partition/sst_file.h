#pragma once
// Writes sorted entries to one SST file. Internal: includes RocksDB.
#include <filesystem>
#include <string_view>
#include <utility>

#include <rocksdb/sst_file_writer.h>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/rocks.h"

namespace frond::partition {

// One thread. RocksDB may throw: callers are in guarded(). The file's pages stay in the cache, since its checksum and
// its first reader follow.
class SstFile {
 public:
  // env: whose files it writes; null: those of the default environment. It outlives this.
  explicit SstFile(std::filesystem::path path, rocksdb::Env* env = nullptr)
      : path_(std::move(path)),
        options_(options_with(env)),
        writer_(rocksdb::EnvOptions(options_), options_, nullptr, /*invalidate_page_cache=*/false) {}

  // Creates it. Errors, of every method, name the file: kUnavailable, if it cannot be written.
  Result<void> open() { return outcome(writer_.Open(path_.string())); }
  // Keys come in ascending byte order (kInvalid).
  Result<void> put(std::string_view key, ByteView value) {
    return outcome(writer_.Put(slice_of(key), slice_of(value)));
  }
  // Flushes and syncs. Called once, last.
  Result<void> finish() { return outcome(writer_.Finish()); }
  std::uint64_t size() { return writer_.FileSize(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  static rocksdb::Options options_with(rocksdb::Env* env) {
    rocksdb::Options options = table_options();
    if (env != nullptr) options.env = env;
    return options;
  }
  Result<void> outcome(const rocksdb::Status& status) const {
    if (!status.ok()) return write_error(status, path_);
    return {};
  }
  const std::filesystem::path path_;
  const rocksdb::Options options_;
  rocksdb::SstFileWriter writer_;
};

}  // namespace frond::partition
