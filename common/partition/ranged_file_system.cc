#include "common/partition/ranged_file_system.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/in_parallel.h"

namespace frond::partition {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

}  // namespace

class RangedFileSystem::RandomAccess final : public rocksdb::FSRandomAccessFile {
 public:
  RandomAccess(RangedFileSystem& all, File& file) : all_(all), file_(file) {}

  IOStatus Read(std::uint64_t offset, std::size_t bytes, const IOOptions& /*options*/, rocksdb::Slice* result,
                char* scratch, IODebugContext* /*debug*/) const override {
    *result = rocksdb::Slice(scratch, 0);
    const std::uint64_t left = file_.file.bytes - std::min(offset, file_.file.bytes);
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, left));
    if (wanted == 0) return IOStatus::OK();
    const std::byte* held = file_.find_held(offset, wanted);
    if (held == nullptr) {
      if (offset < from_ || offset - from_ > held_.size() || wanted > held_.size() - (offset - from_)) {
        if (all_.planning_) return plan(offset, wanted);
        const auto asked = static_cast<std::size_t>(std::min<std::uint64_t>(std::max(wanted, kLeastRange), left));
        auto got = all_.read_(file_.file, offset, asked);
        if (!got) return IOStatus::IOError(got.error().message());
        if (got->size() != asked) return IOStatus::Corruption(file_.file.name, "an answer of another length");
        held_ = *std::move(got);
        from_ = offset;
      }
      held = held_.data() + (offset - from_);
    }
    std::memcpy(scratch, held, wanted);
    *result = rocksdb::Slice(scratch, wanted);
    return IOStatus::OK();
  }

 private:
  IOStatus plan(std::uint64_t offset, std::size_t bytes) const {
    file_.planned.push_back({offset, offset + bytes});
    all_.planned_bytes_ += bytes;
    return IOStatus::Aborted(file_.file.name, "it is read later");
  }

  RangedFileSystem& all_;
  File& file_;
  mutable ByteBuffer held_;  // the last range that was not planned
  mutable std::uint64_t from_ = 0;
};

const std::byte* RangedFileSystem::File::find_held(std::uint64_t from, std::size_t bytes) const {
  const auto after = held.upper_bound(from);
  if (after == held.begin()) return nullptr;
  const auto& [begin, buffer] = *std::prev(after);
  const std::uint64_t at = from - begin;
  return at <= buffer.size() && bytes <= buffer.size() - at ? buffer.data() + at : nullptr;
}

Result<void> RangedFileSystem::fetch_planned() {
  struct Request {
    File* file = nullptr;
    Range range;
    ByteBuffer got;
  };
  std::vector<Request> requests;
  for (auto& [name, file] : files_) {
    file.held.clear();
    std::ranges::sort(file.planned, {}, &Range::from);
    for (const Range& range : std::exchange(file.planned, {})) {
      if (!requests.empty() && requests.back().file == &file) {
        Range& last = requests.back().range;
        const std::uint64_t end = std::max(last.end, range.end);
        if (range.from <= last.end + kClosedGap && end - last.from <= kMostTogether) {
          last.end = end;
          continue;
        }
      }
      requests.push_back({&file, range, {}});
    }
  }
  planned_bytes_ = 0;
  auto fetched = in_parallel(requests.size(), kRequestsAtOnce, [&](std::size_t i) -> Result<void> {
    Request& one = requests[i];
    const auto bytes = static_cast<std::size_t>(one.range.end - one.range.from);
    one.got = FROND_TRY(read_(one.file->file, one.range.from, bytes));
    if (one.got.size() == bytes) return {};
    return Error(Code::kCorrupt, one.file->file.name + ": an answer of another length");
  });
  for (Request& one : requests) one.file->held.emplace(one.range.from, std::move(one.got));
  return fetched;
}

RangedFileSystem::RangedFileSystem(std::span<const PartitionFile> files, ReadRange read)
    : FileSystemWrapper(rocksdb::FileSystem::Default()), read_(std::move(read)) {
  for (const PartitionFile& file : files) files_.emplace(file.name, File{file});
}

RangedFileSystem::File* RangedFileSystem::find(const std::string& name) {
  const auto found = files_.find(std::filesystem::path(name).filename().string());
  return found == files_.end() ? nullptr : &found->second;
}

IOStatus RangedFileSystem::NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                               IODebugContext* debug) {
  File* const found = find(name);
  if (found == nullptr) return target()->NewRandomAccessFile(name, options, file, debug);
  *file = std::make_unique<RandomAccess>(*this, *found);
  return IOStatus::OK();
}

IOStatus RangedFileSystem::GetFileSize(const std::string& name, const IOOptions& options, std::uint64_t* bytes,
                                       IODebugContext* debug) {
  const File* const found = find(name);
  if (found == nullptr) return target()->GetFileSize(name, options, bytes, debug);
  *bytes = found->file.bytes;
  return IOStatus::OK();
}

}  // namespace frond::partition
