#include "common/partition/written_checksum.h"

#include <string>

#include "common/partition/file_checksum.h"

namespace frond::partition {
namespace {

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

std::shared_ptr<rocksdb::FileChecksumGenFactory> xxh3_of_written_files() {
  static const std::shared_ptr<rocksdb::FileChecksumGenFactory> factory = std::make_shared<OfFiles>();
  return factory;
}

}  // namespace frond::partition
