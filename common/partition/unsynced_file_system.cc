#include "common/partition/unsynced_file_system.h"

#include <string>
#include <utility>

namespace frond::partition {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class UnsyncedFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
  IOStatus Sync(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return IOStatus::OK(); }
  IOStatus Fsync(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return IOStatus::OK(); }
};

class UnsyncedFolder final : public rocksdb::FSDirectoryWrapper {
 public:
  using FSDirectoryWrapper::FSDirectoryWrapper;
  IOStatus Fsync(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return IOStatus::OK(); }
  IOStatus FsyncWithDirOptions(const IOOptions& /*options*/, IODebugContext* /*debug*/,
                               const rocksdb::DirFsyncOptions& /*how*/) override {
    return IOStatus::OK();
  }
};

class UnsyncedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "unsynced"; }

  IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    return wrapped(target()->NewWritableFile(name, options, file, debug), file);
  }
  IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    return wrapped(target()->ReopenWritableFile(name, options, file, debug), file);
  }
  IOStatus ReuseWritableFile(const std::string& name, const std::string& old_name, const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    return wrapped(target()->ReuseWritableFile(name, old_name, options, file, debug), file);
  }
  IOStatus NewDirectory(const std::string& name, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* folder, IODebugContext* debug) override {
    IOStatus opened = target()->NewDirectory(name, options, folder, debug);
    if (opened.ok()) *folder = std::make_unique<UnsyncedFolder>(std::move(*folder));
    return opened;
  }

 private:
  static IOStatus wrapped(IOStatus opened, std::unique_ptr<rocksdb::FSWritableFile>* file) {
    if (opened.ok()) *file = std::make_unique<UnsyncedFile>(std::move(*file));
    return opened;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> unsynced_file_system() {
  return std::make_shared<UnsyncedFileSystem>(rocksdb::FileSystem::Default());
}

}  // namespace frond::partition
