#pragma once
// The memory that ids, windows and a record alone leave to the inverters at the moment. Postings make room for all of
// these, since they can be flushed.
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "common/base/mutex.h"
#include "indexer/invert/cpu_inverter.h"
#include "indexer/pipeline/memory.h"

namespace frond::indexer::pipeline {

// Any thread.
class MemoryBudget {
 public:
  explicit MemoryBudget(const MemoryPlan& plan) : plan_(plan) { share_out(); }
  // The bytes that each inverter may hold.
  std::uint64_t postings_of_one() const { return postings_of_one_.load(std::memory_order_relaxed); }

  void set_ids(std::uint64_t bytes) { set(ids_, bytes); }
  void set_window(std::uint64_t bytes) { set(window_, bytes); }
  // A record alone takes so many bytes in all; 0: there is none.
  void set_alone(std::uint64_t bytes) { set(alone_, bytes - std::min(bytes, plan_.drained)); }

 private:
  void set(std::uint64_t& part, std::uint64_t bytes) {
    const MutexLock lock(mutex_);
    if (part == bytes) return;
    part = bytes;
    share_out();
  }
  void share_out() {
    const std::uint64_t taken = ids_ + window_ + alone_;
    const std::uint64_t left = plan_.elastic - std::min(plan_.elastic, taken);
    postings_of_one_.store(std::max(invert::kMinInverterBytes, left / plan_.all_inverters()),
                           std::memory_order_relaxed);
  }

  const MemoryPlan& plan_;
  Mutex mutex_;
  std::uint64_t ids_ = 0, window_ = 0, alone_ = 0;  // under mutex_, except in the constructor
  std::atomic<std::uint64_t> postings_of_one_ = 0;
};

}  // namespace frond::indexer::pipeline
