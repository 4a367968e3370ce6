#pragma once
// Ordered work on several threads: a pool of threads, and streams of tasks (OrderedTasks) that share it, each of which
// gets its results in the order in which it began the tasks. So every core works on whatever there is.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"

namespace frond {

// Any thread adds tasks. Tasks never wait for other threads. The streams bound how many tasks there are.
class TaskPool {
 public:
  // `worker` is the number of the thread that runs the task, below threads().
  using Task = std::function<void(std::size_t worker)>;
  // At most `threads`, at least 1, called "<name>-<number>", or as who adds tasks if there is no name. They begin when
  // there is work for them.
  TaskPool(std::string name, std::size_t threads);
  // All tasks were carried out: streams wait for theirs.
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  std::size_t threads() const { return most_; }
  // Throws if there is no memory, or no thread at all; then the task is not added.
  void add(Task task);

 private:
  void run(std::size_t worker);
  const std::string name_;
  const std::size_t most_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Task> tasks_ FROND_GUARDED_BY(mutex_);
  std::size_t idle_ FROND_GUARDED_BY(mutex_) = 0;  // threads that wait, or will when they begin
  bool closed_ FROND_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_ FROND_GUARDED_BY(mutex_);
};

// Tasks of one stream, whose results are taken in the order in which the tasks were begun. One thread, which begins
// tasks until it is full(), then takes a result, and so on.
// REQUIRES: what tasks borrow outlives this.
template <class T>
class OrderedTasks {
 public:
  // Tasks in flight have at most `max_bytes` of input, or there is only one.
  OrderedTasks(TaskPool& pool, std::uint64_t max_bytes) : pool_(pool), max_bytes_(max_bytes) {}
  // Waits for all tasks that were begun.
  ~OrderedTasks() {
    MutexLock lock(mutex_);
    for (const auto& slot : slots_) wait_for(*slot);
  }
  OrderedTasks(const OrderedTasks&) = delete;
  OrderedTasks& operator=(const OrderedTasks&) = delete;

  bool empty() const { return slots_.empty(); }
  bool full() const { return !slots_.empty() && bytes_ >= max_bytes_; }
  // Whether take() would not wait.
  bool ready() {
    const MutexLock lock(mutex_);
    return !slots_.empty() && slots_.front()->result.has_value();
  }

  // work: Result<T>(std::size_t worker), copyable. Exceptions (of the allocator) become kUnavailable.
  template <class Work>
  void begin(std::uint64_t bytes, Work work) {
    slots_.push_back(std::make_unique<Slot>());
    Slot* const slot = slots_.back().get();
    slot->bytes = bytes;
    bytes_ += bytes;
    try {
      pool_.add([this, slot, work = std::move(work)](std::size_t worker) mutable {
        std::optional<Result<T>> result;
        try {
          result.emplace(work(worker));
        } catch (const std::exception& thrown) {
          result.emplace(Error(Code::kUnavailable, thrown.what()));
        }
        const MutexLock lock(mutex_);
        slot->result = std::move(result);
        if (slot == awaited_) done_.notify_one();
      });
    } catch (...) {  // nobody will carry it out, so nobody must wait for it
      bytes_ -= bytes;
      slots_.pop_back();
      throw;
    }
  }
  // As begin() of a task whose result the caller has already.
  void put(std::uint64_t bytes, Result<T> result) {
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->bytes = bytes;
    bytes_ += bytes;
    const MutexLock lock(mutex_);
    slots_.back()->result.emplace(std::move(result));
  }
  // The result of the oldest task, which it waits for. There is one.
  Result<T> take() {
    const std::unique_ptr<Slot> slot = std::move(slots_.front());
    slots_.pop_front();
    bytes_ -= slot->bytes;
    MutexLock lock(mutex_);
    wait_for(*slot);
    return std::move(*slot->result);
  }

 private:
  struct Slot {
    std::uint64_t bytes = 0;
    std::optional<Result<T>> result;  // under mutex_ until it is there
  };
  void wait_for(const Slot& slot) FROND_REQUIRES(mutex_) {
    awaited_ = &slot;
    done_.wait(mutex_, [&] { return slot.result.has_value(); });
    awaited_ = nullptr;
  }
  TaskPool& pool_;
  const std::uint64_t max_bytes_;
  std::uint64_t bytes_ = 0;
  std::deque<std::unique_ptr<Slot>> slots_;
  Mutex mutex_;
  const Slot* awaited_ FROND_GUARDED_BY(mutex_) = nullptr;  // null: nobody waits
  std::condition_variable_any done_;
};

}  // namespace frond
