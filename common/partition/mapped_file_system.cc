#include "common/partition/mapped_file_system.h"

#include <string>
#include <utility>

namespace frond::partition {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

thread_local BlockPlace* place_of_this_thread = nullptr;

IOStatus io_status_of(const Error& error) {
  if (error.code() == Code::kNotFound) return IOStatus::PathNotFound(error.message());
  return error.code() == Code::kCorrupt ? IOStatus::Corruption(error.message()) : IOStatus::IOError(error.message());
}

class CopyingFile final : public rocksdb::FSRandomAccessFile {
 public:
  explicit CopyingFile(std::shared_ptr<const MappedFile> file) : file_(std::move(file)) {}

  IOStatus Read(std::uint64_t offset, std::size_t bytes, const IOOptions& /*options*/, rocksdb::Slice* result,
                char* scratch, IODebugContext* /*debug*/) const override {
    *result = rocksdb::Slice(scratch, 0);
    BlockPlace* const place = BlockPlace::of_this_thread();
    if (place != nullptr && bytes >= kLongBlockBytes && offset <= file_->size() && bytes <= file_->size() - offset) {
      place->set(*file_, offset, bytes);
      return IOStatus::Aborted();
    }
    const auto copied = file_->copy(offset, {scratch, bytes});
    if (!copied) return io_status_of(copied.error());
    *result = rocksdb::Slice(scratch, *copied);
    return IOStatus::OK();
  }

 private:
  const std::shared_ptr<const MappedFile> file_;
};

}  // namespace

BlockPlace::BlockPlace() {
  FROND_CHECK(place_of_this_thread == nullptr);
  place_of_this_thread = this;
}
BlockPlace::~BlockPlace() { place_of_this_thread = nullptr; }
BlockPlace* BlockPlace::of_this_thread() { return place_of_this_thread; }

MappedFileSystem::MappedFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

IOStatus MappedFileSystem::NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                               IODebugContext* debug) {
  if (!name.ends_with(".sst")) return target()->NewRandomAccessFile(name, options, file, debug);
  auto mapped = MappedFile::open(name, loss_);
  if (!mapped) return io_status_of(mapped.error());
  const MutexLock lock(mutex_);
  std::erase_if(files_, [](const auto& one) { return one.expired(); });
  files_.push_back(*mapped);
  *file = std::make_unique<CopyingFile>(*std::move(mapped));
  return IOStatus::OK();
}

Result<void> MappedFileSystem::check() const {
  {
    const MutexLock lock(mutex_);
    for (const auto& one : files_)
      if (const auto file = one.lock()) static_cast<void>(file->check());  // notes it
  }
  return intact();
}

Error MappedFileSystem::what_is_lost() const {
  Error why(Code::kUnavailable, "a file could not be read");
  const MutexLock lock(mutex_);
  for (const auto& one : files_) {
    const auto file = one.lock();
    auto checked = file ? file->check() : Result<void>();
    if (checked) continue;
    why = std::move(checked).error();
    if (why.code() == Code::kCorrupt) break;
  }
  return why;
}

}  // namespace frond::partition
