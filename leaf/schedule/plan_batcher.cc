#include "leaf/schedule/plan_batcher.h"

#include <algorithm>
#include <exception>
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

bool PlanBatcher::submit(std::vector<engine::Plan>& plans, Done done, Scheduler* answers) {
  Queue entry;  // allocated before the lock is taken
  entry.emplace_back().done = std::move(done);
  entry.front().answers = answers;
  {
    const MutexLock lock(mutex_);
    if (draining_ || waiting_.size() >= options_.max_waiting) {
      refused_.add(static_cast<double>(plans.size()));
      return false;
    }
    entry.front().plans = std::move(plans);
    plans_waiting_ += entry.front().plans.size();
    waiting_.splice(waiting_.end(), entry);
    // No wake-up is needed if all threads are busy: the first to finish takes the query. Nor if another query waits
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

// Waits for queries and, while another batch is in flight, up to the window for more of them. Empty: stopped. Does not
// allocate: after an exception here nothing would answer the waiting queries.
PlanBatcher::Queue PlanBatcher::next_batch() {
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
  Queue batch;
  std::size_t plans = 0;
  do {
    plans += waiting_.front().plans.size();
    batch.splice(batch.end(), waiting_, waiting_.begin());
  } while (!waiting_.empty() && plans + waiting_.front().plans.size() <= options_.max_batch);
  plans_waiting_ -= plans;
  ++running_;
  return batch;
}

// Moves from the queries' plans, but leaves their number.
std::vector<PlanBatcher::Answer> PlanBatcher::search(Queue& batch) {
  std::size_t count = 0;
  for (const Waiting& one : batch) count += one.plans.size();
  size_.observe(static_cast<double>(count));
  if (batch.size() == 1) return search_(batch.front().plans);
  std::vector<engine::Plan> plans;
  plans.reserve(count);
  for (Waiting& one : batch)
    for (engine::Plan& plan : one.plans) plans.push_back(std::move(plan));
  return search_(plans);
}

// Submits the answers, those of one scheduler together. Without answers the callers may run the plans elsewhere.
void PlanBatcher::answer(Queue& batch, std::vector<Answer> answers) {
  auto next = answers.begin();
  std::vector<Task> tasks;
  Scheduler* scheduler = nullptr;
  const auto submit = [&] {
    if (!tasks.empty()) (void)scheduler->admit(tasks, Lane::kContinue);  // never refused
    tasks.clear();
  };
  const auto answer_one = [&](Waiting& one) {
    std::vector<Answer> own(one.plans.size());
    if (next != answers.end()) {
      const auto end = next + static_cast<std::ptrdiff_t>(own.size());
      std::move(next, end, own.begin());
      next = end;
    }
    if (one.answers == nullptr) return one.done(std::move(own));
    if (one.answers != scheduler) submit();
    scheduler = one.answers;
    Task& task = tasks.emplace_back();
    task.run = [done = std::move(one.done), own = std::move(own)](const Result<std::chrono::microseconds>&) mutable {
      done(std::move(own));
    };
  };
  for (Waiting& one : batch) {
    try {
      answer_one(one);
    } catch (const std::exception&) {  // out of memory even to reply: the request ends at its deadline
    }
  }
  submit();
}

void PlanBatcher::work() {
  name_this_thread("leaf-gpu");
  for (;;) {
    Queue batch = next_batch();
    if (batch.empty()) return;
    std::vector<Answer> answers;
    try {
      answers = search(batch);
    } catch (const std::exception&) {  // out of memory: the callers get no answers
    }
    try {
      answer(batch, std::move(answers));
    } catch (const std::exception&) {  // as in answer(), for the last group
    }
    batch.clear();  // release what the plans and callbacks hold before drain() may return
    const MutexLock lock(mutex_);
    --running_;
    changed_.notify_all();
  }
}

}  // namespace frond::leaf::schedule
