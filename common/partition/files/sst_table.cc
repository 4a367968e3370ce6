#include "common/partition/files/sst_table.h"

#include <cstdio>
#include <string>

#include <rocksdb/file_checksum.h>

#include "common/partition/file_checksum.h"
#include "common/partition/files/rocks.h"

namespace frond::partition {
namespace {

// XXH3-128 of files while RocksDB writes them, so that nobody reads them again for it.
constexpr char kName[] = "XXH3-128";

class OfFile final : public rocksdb::FileChecksumGenerator {
 public:
  void Update(const char* data, std::size_t size) override { hash_.update(as_bytes({data, size})); }
  void Finalize() override { hex_ = hash_.hex(); }
  std::string GetChecksum() const override { return hex_; }
  const char* Name() const override { return kName; }

 private:
  Xxh3 hash_;
  std::string hex_;
};

class OfFiles final : public rocksdb::FileChecksumGenFactory {
 public:
  std::unique_ptr<rocksdb::FileChecksumGenerator> CreateFileChecksumGenerator(
      const rocksdb::FileChecksumGenContext&) override {
    return std::make_unique<OfFile>();
  }
  const char* Name() const override { return kName; }
};

}  // namespace

rocksdb::Options SstFile::options_with(rocksdb::Env* env) {
  static const std::shared_ptr<rocksdb::FileChecksumGenFactory> factory = std::make_shared<OfFiles>();
  rocksdb::Options options = table_options();
  if (env != nullptr)
    options.env = env;
  else
    options.file_checksum_gen_factory = factory;
  return options;
}

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
