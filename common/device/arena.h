#pragma once
// Allocates pieces of one large block of device memory, which was allocated when the process started, without calling
// the driver. Takes the lowest gap that fits; adjacent gaps are merged. Never reads the memory, so it is tested without
// a device. Thread-safe.
#include <cstddef>
#include <map>

#include "common/base/mutex.h"

namespace frond::device {

class Arena {
 public:
  static constexpr std::size_t kGranule = 256;  // pieces begin and end on multiples of it

  // REQUIRES: `base` is on kGranule; the memory belongs to the caller and outlives this.
  Arena(std::byte* base, std::size_t bytes);

  // Null if no gap is large enough. May throw std::bad_alloc, and changes nothing then. REQUIRES: bytes > 0.
  std::byte* allocate(std::size_t bytes);
  // Frees a piece. Needs no memory. REQUIRES: allocate() returned it, and it was not released since.
  void release(const std::byte* piece);

  std::size_t bytes() const { return bytes_; }
  std::size_t used() const;

 private:
  std::byte* const base_;
  const std::size_t bytes_;
  mutable Mutex mutex_;
  // Offset to bytes. Both have one type, so that nodes move between them without an allocation.
  std::map<std::size_t, std::size_t> gaps_ FROND_GUARDED_BY(mutex_), pieces_ FROND_GUARDED_BY(mutex_);
  std::size_t used_ FROND_GUARDED_BY(mutex_) = 0;
};

}  // namespace frond::device
