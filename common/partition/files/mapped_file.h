#pragma once
// A file mapped for reading. Reads may fail: another process cuts the file short, or the disk can't read a page. The
// system then sends SIGBUS to the reading thread. Our handler replaces the whole mapping by zeros and sets a flag,
// Loss, and the thread reads on. So the rule for using mapped bytes: read first, then check Loss, and discard what was
// read if something is lost. Internal to this folder. Why: docs/adr/0012-files-that-fail-under-a-leaf.md.
//
// Any thread. The first mapping installs the handler of SIGBUS; faults elsewhere go to the handler that was there
// before.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::partition {

// Whether a mapping of a set was lost. Never reset.
class Loss {
 public:
  bool happened() const { return happened_.load(std::memory_order_acquire); }
  void note() const { happened_.store(true, std::memory_order_seq_cst); }
  std::atomic<bool>& flag() const { return happened_; }

 private:
  mutable std::atomic<bool> happened_{false};
  static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler sets it
};

class MappedFile {
 public:
  // Faults set `loss`. Errors: kNotFound, kUnavailable.
  static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& file,
                                                        std::shared_ptr<const Loss> loss);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  // Bytes of the mapping, for use by the rule above.
  // REQUIRES: offset + bytes <= size().
  ByteView view(std::uint64_t offset, std::size_t bytes) const;
  // Copies the bytes from `offset` on, up to to.size() of them, and returns how many. Errors: kCorrupt if the file was
  // cut short, kUnavailable if the disk could not read it; without one, the copy is right.
  Result<std::size_t> copy(std::uint64_t offset, std::span<char> to) const;
  // Gives all bytes in order, in pieces of at most kPieceBytes. No more than a piece is resident at a time. Reading
  // this way copies nothing, and the system does not note the pages as used, for which all threads would wait for one
  // lock. Errors as those of check(), of what was given; then none of it may be right.
  // REQUIRES: nobody else uses the mapping.
  static constexpr std::size_t kPieceBytes = std::size_t{2} << 20;
  Result<void> read_through(const std::function<void(ByteView)>& sink) const;
  // Checks that the file has the length that it was mapped with and that nothing of its set is lost; sets Loss if not.
  // Needed after using a view, since a file cut short inside its last page reads as zeros without a fault.
  Result<void> check() const;

 private:
  MappedFile(std::filesystem::path name, files::Descriptor file, std::shared_ptr<const Loss> loss)
      : name_(std::move(name)), file_(std::move(file)), loss_(std::move(loss)) {}
  Result<void> map();
  Error lost() const;

  const std::filesystem::path name_;
  const files::Descriptor file_;
  const std::shared_ptr<const Loss> loss_;
  std::uint64_t size_ = 0;
  const std::byte* begin_ = nullptr;  // null for an empty file
};

}  // namespace frond::partition
