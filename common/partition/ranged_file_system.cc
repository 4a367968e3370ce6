#include "common/partition/ranged_file_system.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace frond::partition {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class RangedFile final : public rocksdb::FSRandomAccessFile {
 public:
  RangedFile(const PartitionFile& file, const ReadRange& read) : file_(file), read_(read) {}

  IOStatus Read(std::uint64_t offset, std::size_t bytes, const IOOptions& /*options*/, rocksdb::Slice* result,
                char* scratch, IODebugContext* /*debug*/) const override {
    *result = rocksdb::Slice(scratch, 0);
    const std::uint64_t left = file_.bytes - std::min(offset, file_.bytes);
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, left));
    if (wanted == 0) return IOStatus::OK();
    if (offset < from_ || offset - from_ > held_.size() || wanted > held_.size() - (offset - from_)) {
      const auto asked = static_cast<std::size_t>(std::min<std::uint64_t>(std::max(wanted, kLeastRange), left));
      auto got = read_(file_, offset, asked);
      if (!got) return IOStatus::IOError(got.error().message());
      if (got->size() != asked) return IOStatus::Corruption(file_.name, "an answer of another length");
      held_ = *std::move(got);
      from_ = offset;
    }
    std::memcpy(scratch, held_.data() + (offset - from_), wanted);
    *result = rocksdb::Slice(scratch, wanted);
    return IOStatus::OK();
  }

 private:
  const PartitionFile& file_;
  const ReadRange& read_;
  mutable ByteBuffer held_;  // the last range
  mutable std::uint64_t from_ = 0;
};

}  // namespace

RangedFileSystem::RangedFileSystem(std::span<const PartitionFile> files, ReadRange read)
    : FileSystemWrapper(rocksdb::FileSystem::Default()), read_(std::move(read)) {
  for (const PartitionFile& file : files) files_.emplace(file.name, file);
}

const PartitionFile* RangedFileSystem::find(const std::string& name) const {
  const auto found = files_.find(std::filesystem::path(name).filename().string());
  return found == files_.end() ? nullptr : &found->second;
}

IOStatus RangedFileSystem::NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                               IODebugContext* debug) {
  const PartitionFile* const found = find(name);
  if (found == nullptr) return target()->NewRandomAccessFile(name, options, file, debug);
  *file = std::make_unique<RangedFile>(*found, read_);
  return IOStatus::OK();
}

IOStatus RangedFileSystem::GetFileSize(const std::string& name, const IOOptions& options, std::uint64_t* bytes,
                                       IODebugContext* debug) {
  const PartitionFile* const found = find(name);
  if (found == nullptr) return target()->GetFileSize(name, options, bytes, debug);
  *bytes = found->bytes;
  return IOStatus::OK();
}

}  // namespace frond::partition
