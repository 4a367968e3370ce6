#pragma once
// Device memory by the piece: one large allocation, made when the process starts, handed out without asking the driver
// again. The lowest gap that fits is taken, and gaps that touch become one. Knows addresses only, never reads them, so
// it is tested without a device. Thread-safe.
#include <cstddef>
#include <map>

#include "common/base/mutex.h"

namespace frond::device {

class Arena {
 public:
  static constexpr std::size_t kGranule = 256;  // pieces begin and end on multiples of it

  // `base` is on kGranule; the memory belongs to the caller and outlives this.
  Arena(std::byte* base, std::size_t bytes);

  // Null: no gap is large enough. bytes > 0. std::bad_alloc leaves it as it was.
  std::byte* allocate(std::size_t bytes);
  // A piece that allocate() gave, once. Needs no memory.
  void release(const std::byte* piece);

  std::size_t bytes() const { return bytes_; }
  std::size_t used() const;

 private:
  std::byte* const base_;
  const std::size_t bytes_;
  mutable Mutex mutex_;
  // Offset to bytes. A gap and a piece become each other without an allocation, so both are of one type.
  std::map<std::size_t, std::size_t> gaps_ FROND_GUARDED_BY(mutex_), pieces_ FROND_GUARDED_BY(mutex_);
  std::size_t used_ FROND_GUARDED_BY(mutex_) = 0;
};

}  // namespace frond::device
