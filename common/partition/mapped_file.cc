#include "common/partition/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "common/base/check.h"
#include "common/files/read.h"
#include "common/partition/bus_errors.h"

namespace frond::partition {
namespace {

std::size_t whole_pages(std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& file,
                                                           std::shared_ptr<const Loss> loss) {
  files::Descriptor opened = FROND_TRY(files::open(file, O_RDONLY));
  const std::shared_ptr<MappedFile> made(new MappedFile(file, std::move(opened), std::move(loss)));
  FROND_TRY(made->map());
  return std::shared_ptr<const MappedFile>(made);
}

Result<void> MappedFile::map() {
  const std::uint64_t size = FROND_TRY(files::size_of(file_, name_));
  if (size == 0) return {};
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file_.get(), 0);
  // The system's value. NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (at == MAP_FAILED) return files::system_error(Code::kUnavailable, "mapping", name_);
  size_ = size;
  begin_ = static_cast<const std::byte*>(at);
  watch_mapping(begin_, whole_pages(size_), loss_->flag());
  return {};
}

MappedFile::~MappedFile() {
  if (begin_ != nullptr) {
    stop_watching(begin_);
    ::munmap(const_cast<std::byte*>(begin_), size_);
  }
}

ByteView MappedFile::view(std::uint64_t offset, std::size_t bytes) const {
  FROND_CHECK(offset <= size_ && bytes <= size_ - offset);
  return {begin_ + offset, bytes};
}

Result<std::size_t> MappedFile::copy(std::uint64_t offset, std::span<char> to) const {
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), size_ - std::min(offset, size_)));
  if (bytes > 0) std::memcpy(to.data(), begin_ + offset, bytes);
  if (loss_->happened()) return lost();
  return bytes;
}

Result<void> MappedFile::read_through(const std::function<void(ByteView)>& sink) const {
  if (begin_ == nullptr) return check();
  auto* const begin = const_cast<std::byte*>(begin_);
  // Advice: where the system does not take it, reading is slower or more is resident.
  (void)::madvise(begin, size_, MADV_SEQUENTIAL);
  for (std::uint64_t at = 0; at < size_; at += kPieceBytes) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, size_ - at));
    sink(view(at, bytes));
    (void)::madvise(begin + at, bytes, MADV_DONTNEED);
  }
  return check();
}

Result<void> MappedFile::check() const {
  struct stat told {};
  const bool tells = ::fstat(file_.get(), &told) == 0;
  if (!tells || static_cast<std::uint64_t>(told.st_size) < size_) loss_->note();
  return loss_->happened() ? Result<void>(lost()) : Result<void>();
}

// The reason, if it can still be found: this file may be whole, and another of its set lost.
Error MappedFile::lost() const {
  struct stat told {};
  if (::fstat(file_.get(), &told) == 0 && static_cast<std::uint64_t>(told.st_size) < size_)
    return Error(Code::kCorrupt, name_.string() + ": was cut short: " + std::to_string(told.st_size) + " of " +
                                     std::to_string(size_) + " bytes are left");
  return Error(Code::kUnavailable, name_.string() + ": it, or another file of the same folder, could not be read");
}

}  // namespace frond::partition
