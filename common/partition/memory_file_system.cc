#include "common/partition/memory_file_system.h"

namespace frond::partition {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class MemoryFile final : public rocksdb::FSWritableFile {
 public:
  explicit MemoryFile(std::string& bytes) : bytes_(bytes) {}
  using FSWritableFile::Append;
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& /*options*/, IODebugContext* /*debug*/) override {
    bytes_.append(data.data(), data.size());
    return IOStatus::OK();
  }
  IOStatus Close(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return IOStatus::OK(); }
  IOStatus Flush(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return IOStatus::OK(); }
  std::uint64_t GetFileSize(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return bytes_.size(); }

 private:
  std::string& bytes_;
};

class MemoryFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit MemoryFileSystem(std::string& bytes) : FileSystemWrapper(rocksdb::FileSystem::Default()), bytes_(bytes) {}
  const char* Name() const override { return "memory"; }
  IOStatus NewWritableFile(const std::string& /*name*/, const rocksdb::FileOptions& /*options*/,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* /*debug*/) override {
    *file = std::make_unique<MemoryFile>(bytes_);
    return IOStatus::OK();
  }

 private:
  std::string& bytes_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> memory_file_system(std::string& bytes) {
  return std::make_shared<MemoryFileSystem>(bytes);
}

}  // namespace frond::partition
