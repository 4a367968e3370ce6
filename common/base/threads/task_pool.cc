#include "common/base/threads/task_pool.h"

#include <algorithm>
#include <system_error>

#include "common/base/threads/thread_name.h"

namespace frond {

TaskPool::TaskPool(std::string name, std::size_t threads)
    : name_(std::move(name)), most_(std::max<std::size_t>(1, threads)) {}

TaskPool::~TaskPool() {
  std::vector<std::jthread> threads;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    threads.swap(threads_);
  }
  changed_.notify_all();
}

void TaskPool::add(Task task) {
  const MutexLock lock(mutex_);
  if (tasks_.size() >= idle_ && threads_.size() < most_) {
    try {
      threads_.emplace_back([this, worker = threads_.size()] { run(worker); });
      ++idle_;
    } catch (const std::system_error&) {  // the system has no more
      if (threads_.empty()) throw;
    }
  }
  tasks_.push_back(std::move(task));
  changed_.notify_one();
}

void TaskPool::run(std::size_t worker) {
  if (!name_.empty()) name_this_thread((name_ + "-" + std::to_string(worker)).c_str());
  for (;;) {
    Task task;
    {
      MutexLock lock(mutex_);
      changed_.wait(mutex_, [this]() FROND_REQUIRES(mutex_) { return !tasks_.empty() || closed_; });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
      --idle_;
    }
    task(worker);
    task = {};  // what it has may be large
    const MutexLock lock(mutex_);
    ++idle_;
  }
}

}  // namespace frond
