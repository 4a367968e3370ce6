#pragma once
// A file that is mapped for reading, and may fail: another process cuts it short, or the disk can't read a page of it.
// The system then sends SIGBUS to whoever reads. Here the whole mapping becomes zeros, its Loss says so, and the
// reading goes on: nobody is ended, nothing is jumped over. So bytes of a mapping are used by one rule: read, then ask
// Loss, and only if nothing is lost believe what was read. Internal to this folder. Why so:
// docs/adr/0012-files-that-fail-under-a-leaf.md.
//
// Any thread. The first mapping installs the process's handler of SIGBUS; faults elsewhere go where they went before.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::partition {

// Whether something of a set of mappings is gone, for good.
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
  // Faults are noted in `loss`. kNotFound, kUnavailable.
  static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& file,
                                                        std::shared_ptr<const Loss> loss);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  // In the mapping: to be used by the rule above. `offset` and `bytes` lie inside the file.
  ByteView view(std::uint64_t offset, std::size_t bytes) const;
  // What there is from `offset` on, as much as `to` holds: how much that was. What is copied is right: kCorrupt where
  // the file was cut short, kUnavailable where the disk could not read it.
  Result<std::size_t> copy(std::uint64_t offset, std::span<char> to) const;
  // The file is as long as it was when it was mapped, and nothing of its set is lost: else that is noted. The rest of
  // the last page of a file that was cut short is zeros without a fault, so this is asked before a view is believed.
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
  const std::byte* begin_ = nullptr;  // null: the file is empty
};

}  // namespace frond::partition
