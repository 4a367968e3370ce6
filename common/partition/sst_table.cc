#include "common/partition/sst_table.h"

#include <cstdio>

#include "common/partition/file_checksum.h"
#include "common/partition/rocks.h"

namespace frond::partition {

SstTable::SstTable(std::filesystem::path folder, std::string stem, std::uint64_t file_bytes)
    : folder_(std::move(folder)), stem_(std::move(stem)), file_bytes_(file_bytes), options_(table_options()) {}
SstTable::~SstTable() = default;

Result<void> SstTable::open_next() {
  char number[16];
  std::snprintf(number, sizeof number, "%04zu.sst", done_.size() + 1);
  current_ = folder_ / (stem_ + number);
  // The pages stay in the cache: the checksum reads them again, and so does the ingestion.
  writer_ = std::make_unique<rocksdb::SstFileWriter>(rocksdb::EnvOptions(options_), options_, nullptr,
                                                     /*invalidate_page_cache=*/false);
  const auto status = writer_->Open(current_.string());
  if (!status.ok()) return write_error(status, current_);
  return {};
}

Result<void> SstTable::put(std::string_view key, ByteView value) {
  return guarded(stem_, [&]() -> Result<void> {
    if (writer_ && writer_->FileSize() >= file_bytes_) FROND_TRY(close_current());
    if (!writer_) FROND_TRY(open_next());
    const auto status = writer_->Put(slice_of(key), slice_of(value));
    if (!status.ok()) return write_error(status, current_);
    ++entries_;
    return {};
  });
}

Result<void> SstTable::close_current() {
  const auto status = writer_->Finish();  // flushes and syncs
  writer_.reset();
  if (!status.ok()) return write_error(status, current_);
  done_.push_back(FROND_TRY(describe_file(current_)));
  return {};
}

Result<std::vector<PartitionFile>> SstTable::finish() {
  return guarded(stem_, [&]() -> Result<std::vector<PartitionFile>> {
    if (writer_) FROND_TRY(close_current());
    return std::move(done_);
  });
}

}  // namespace frond::partition
