#include "common/partition/files/mapped_file_system.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
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

// "<file>.sst@<offset>+<bytes>"
struct Part {
  std::string file;
  std::uint64_t offset = 0, bytes = 0;
};
std::optional<Part> part_named(const std::string& name) {
  const std::size_t at = name.rfind(".sst@");
  if (at == std::string::npos) return std::nullopt;
  char* end = nullptr;
  Part part{name.substr(0, at + 4), std::strtoull(name.c_str() + at + 5, &end, 10), 0};
  if (*end != '+') return std::nullopt;
  part.bytes = std::strtoull(end + 1, &end, 10);
  return *end == '\0' ? std::optional(std::move(part)) : std::nullopt;
}

// [begin, begin + bytes) of a mapped file.
class CopyingFile final : public rocksdb::FSRandomAccessFile {
 public:
  CopyingFile(std::shared_ptr<const MappedFile> file, std::uint64_t begin, std::uint64_t bytes)
      : file_(std::move(file)), begin_(begin), bytes_(bytes) {}

  IOStatus Read(std::uint64_t offset, std::size_t bytes, const IOOptions& /*options*/, rocksdb::Slice* result,
                char* scratch, IODebugContext* /*debug*/) const override {
    *result = rocksdb::Slice(scratch, 0);
    BlockPlace* const place = BlockPlace::of_this_thread();
    if (place != nullptr && bytes >= kLongBlockBytes && offset <= bytes_ && bytes <= bytes_ - offset) {
      place->set(*file_, begin_ + offset, bytes);
      return IOStatus::Aborted();
    }
    const std::uint64_t there = bytes_ - std::min(offset, bytes_);
    const auto copied = file_->copy(begin_ + offset, {scratch, static_cast<std::size_t>(std::min(bytes, there))});
    if (!copied) return io_status_of(copied.error());
    *result = rocksdb::Slice(scratch, *copied);
    return IOStatus::OK();
  }

 private:
  const std::shared_ptr<const MappedFile> file_;
  const std::uint64_t begin_, bytes_;
};

}  // namespace

BlockPlace::BlockPlace() {
  FROND_CHECK(place_of_this_thread == nullptr);
  place_of_this_thread = this;
}
BlockPlace::~BlockPlace() { place_of_this_thread = nullptr; }
BlockPlace* BlockPlace::of_this_thread() { return place_of_this_thread; }

MappedFileSystem::MappedFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

std::string MappedFileSystem::name_of_part(const std::filesystem::path& file, std::uint64_t offset,
                                           std::uint64_t bytes) {
  FROND_CHECK(file.extension() == ".sst");
  return file.string() + "@" + std::to_string(offset) + "+" + std::to_string(bytes);
}

IOStatus MappedFileSystem::GetFileSize(const std::string& name, const IOOptions& options, std::uint64_t* bytes,
                                       IODebugContext* debug) {
  const auto part = part_named(name);
  if (!part) return target()->GetFileSize(name, options, bytes, debug);
  *bytes = part->bytes;
  return IOStatus::OK();
}

// shared: the mapping that there is already, if there is one.
Result<std::shared_ptr<const MappedFile>> MappedFileSystem::open(const std::string& name, bool shared) {
  const MutexLock lock(mutex_);
  std::erase_if(files_, [](const auto& one) { return one.expired(); });
  if (shared)
    for (const auto& one : files_)
      if (auto file = one.lock(); file && file->name() == name) return file;
  auto mapped = FROND_TRY(MappedFile::open(name, loss_));
  files_.push_back(mapped);
  return mapped;
}

IOStatus MappedFileSystem::NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                               IODebugContext* debug) {
  const auto part = part_named(name);
  if (!part && !name.ends_with(".sst")) return target()->NewRandomAccessFile(name, options, file, debug);
  auto mapped = open(part ? part->file : name, part.has_value());
  if (!mapped) return io_status_of(mapped.error());
  const std::uint64_t size = (*mapped)->size();
  if (part && (part->offset > size || part->bytes > size - part->offset))
    return IOStatus::Corruption(name + ": not in the file");
  const std::uint64_t begin = part ? part->offset : 0, bytes = part ? part->bytes : size;
  *file = std::make_unique<CopyingFile>(*std::move(mapped), begin, bytes);
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
