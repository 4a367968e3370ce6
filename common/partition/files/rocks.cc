#include "common/partition/files/rocks.h"

#include <cstdarg>
#include <memory>

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>

namespace frond::partition {
namespace {

class NoLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

}  // namespace

rocksdb::Options table_options(FileReads reads, std::size_t index_cache_bytes) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  table.block_size = 4 << 10;
  table.no_block_cache = reads != FileReads::kBuffered;
  if (reads == FileReads::kBuffered) {
    table.cache_index_and_filter_blocks = true;
    table.block_cache = rocksdb::NewLRUCache(index_cache_bytes, /*num_shard_bits=*/0);
  }
  table.enable_index_compression = false;
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kNoCompression;
  options.max_open_files = -1;
  // Else RocksDB starts 15 threads for each database that it opens, and for each change of one.
  options.max_file_opening_threads = 1;
  // What is written goes through a buffer, which stays in the core's cache until the system copies it; 1 MiB by
  // default.
  options.writable_file_max_buffer_size = 256 << 10;
  // The disk writes while the file grows. Else all of it is written when it is finished, and the build waits.
  options.bytes_per_sync = 4 << 20;
  options.info_log = std::make_shared<NoLog>();
  options.skip_stats_update_on_db_open = true;
  options.disable_auto_compactions = true;
  options.max_background_jobs = 1;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

Error write_error(const rocksdb::Status& status, const std::filesystem::path& file) {
  return Error(status.IsInvalidArgument() ? Code::kInvalid : Code::kUnavailable,
               file.string() + ": " + status.ToString());
}

Error error_of(const rocksdb::Status& status, std::string_view where) {
  Code code = Code::kCorrupt;
  if (status.IsNotFound()) code = Code::kNotFound;
  if (status.IsIOError() || status.IsBusy() || status.IsTimedOut() || status.IsMemoryLimit()) code = Code::kUnavailable;
  return Error(code, std::string(where) + ": " + status.ToString());
}

std::string printable(std::string_view key) {
  static constexpr char kDigits[] = "0123456789abcdef";
  static constexpr std::size_t kShown = 80;
  std::string out = "'";
  for (const char c : key.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      out.append({'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]});
    else
      out.push_back(c);
  }
  return out + (key.size() > kShown ? "…'" : "'");
}

}  // namespace frond::partition
