#include "leaf/schedule/plan_batcher.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "common/base/check.h"
#include "common/base/thread_name.h"
#include "leaf/families/metric_families.h"

namespace frond::leaf::schedule {

PlanBatcher::PlanBatcher(Options options, Search search, metrics::Registry* registry)
    : options_(options), search_(std::move(search)) {
  FROND_CHECK(options_.threads >= 1 && options_.max_batch >= 1);
  if (registry != nullptr) {
    static constexpr double kSizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
    size_ = registry->histogram(families::kGpuBatchPlans, kSizes);
    refused_ = registry->counter(families::kGpuPlansRefused);
  }
  for (std::size_t i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { work(); });
}

PlanBatcher::~PlanBatcher() {
  drain();
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

bool PlanBatcher::submit(engine::Plan plan, Done done) {
  {
    const MutexLock lock(mutex_);
    if (draining_ || waiting_.size() >= options_.max_waiting) {
      refused_.add();
      return false;
    }
    waiting_.push_back({std::move(plan), std::move(done)});
    // No wake-up is needed if all threads are busy: the first to finish takes the plan. Nor if another plan waits
    // already: that one woke a thread, or a thread is in its window.
    if (running_ == options_.threads || (waiting_.size() > 1 && !is_full())) return true;
  }
  changed_.notify_one();
  return true;
}

void PlanBatcher::drain() {
  MutexLock lock(mutex_);
  draining_ = true;
  changed_.notify_all();
  while (running_ != 0 || !waiting_.empty()) changed_.wait(lock.mutex());
}

// Waits for plans and, while another batch is in flight, up to the window for more of them. Empty: stopped. Does not
// allocate: after an exception here nothing would answer the waiting plans.
std::list<PlanBatcher::Waiting> PlanBatcher::next_batch() {
  MutexLock lock(mutex_);
  for (;;) {
    while (waiting_.empty()) {
      if (stopped_) return {};
      changed_.wait(lock.mutex());
    }
    if (running_ != 0 && !is_full() && !draining_)
      changed_.wait_for(lock.mutex(), options_.window, [this]() FROND_REQUIRES(mutex_) {
        return waiting_.empty() || running_ == 0 || is_full() || draining_;
      });
    if (!waiting_.empty()) break;  // another thread may have taken them
  }
  std::list<Waiting> batch;
  const std::size_t count = std::min(waiting_.size(), options_.max_batch);
  const auto end = std::next(waiting_.begin(), static_cast<std::ptrdiff_t>(count));
  batch.splice(batch.end(), waiting_, waiting_.begin(), end);
  ++running_;
  return batch;
}

void PlanBatcher::work() {
  name_this_thread("leaf-gpu");
  for (;;) {
    std::list<Waiting> batch = next_batch();
    if (batch.empty()) return;
    size_.observe(static_cast<double>(batch.size()));
    std::vector<engine::Plan> plans;
    std::vector<Answer> answers;
    try {
      plans.reserve(batch.size());
      for (Waiting& one : batch) plans.push_back(std::move(one.plan));
      answers = search_(plans);
    } catch (const std::exception&) {  // out of memory: the callers get no answers and may run the plans elsewhere
      answers.clear();
    }
    auto next = answers.begin();
    for (Waiting& one : batch) {
      try {
        one.done(next != answers.end() ? std::move(*next++) : Answer());
      } catch (const std::exception&) {  // out of memory even to reply: the request ends at its deadline
      }
    }
    batch.clear();  // release what the plans and callbacks hold before drain() may return
    plans.clear();
    const MutexLock lock(mutex_);
    --running_;
    changed_.notify_all();
  }
}

}  // namespace frond::leaf::schedule
