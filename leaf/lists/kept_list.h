#pragma once
// What caches of lists keep (kept_lists.h): lists in host memory, images of them in device memory.
#include <atomic>

namespace frond::leaf::lists {

// Whoever uses a list without asking its cache marks it. The cache then takes it for used when it makes room. Any
// thread.
struct KeptList {
  KeptList() = default;
  KeptList(const KeptList&) {}  // a copy is another list, which nobody has used
  KeptList& operator=(const KeptList&) { return *this; }

  void mark_used() const {
    if (!used_.load(std::memory_order_relaxed)) used_.store(true, std::memory_order_relaxed);
  }
  // Whether it was marked since the last call.
  bool take_mark() const {
    return used_.load(std::memory_order_relaxed) && used_.exchange(false, std::memory_order_relaxed);
  }

 private:
  mutable std::atomic<bool> used_{false};
};

}  // namespace frond::leaf::lists
