#include "common/partition/sst_table.h"

#include <cstdio>

#include "common/partition/rocks.h"

namespace frond::partition {

SstTable::SstTable(std::filesystem::path folder, std::string stem, std::uint64_t file_bytes)
    : folder_(std::move(folder)), stem_(std::move(stem)), file_bytes_(file_bytes) {}
SstTable::~SstTable() = default;

Result<void> SstTable::open_next() {
  char number[16];
  std::snprintf(number, sizeof number, "%04zu.sst", done_.size() + 1);
  current_ = std::make_unique<SstFile>(folder_ / (stem_ + number));
  return current_->open();
}

Result<void> SstTable::put(std::string_view key, ByteView value) {
  return guarded(stem_, [&]() -> Result<void> {
    if (current_ && current_->size() >= file_bytes_) FROND_TRY(close_current());
    if (!current_) FROND_TRY(open_next());
    FROND_TRY(current_->put(key, value));
    ++entries_;
    return {};
  });
}

Result<void> SstTable::close_current() {
  const std::unique_ptr<SstFile> whole = std::move(current_);
  FROND_TRY(whole->finish());
  done_.push_back(whole->described());
  return {};
}

Result<std::vector<PartitionFile>> SstTable::finish() {
  return guarded(stem_, [&]() -> Result<std::vector<PartitionFile>> {
    if (current_) FROND_TRY(close_current());
    return std::move(done_);
  });
}

}  // namespace frond::partition
