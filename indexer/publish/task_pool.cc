#include "indexer/publish/task_pool.h"

#include "common/base/thread_name.h"

namespace frond::indexer::publish {

TaskPool::TaskPool(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this, i] {
      name_this_thread(("packer-" + std::to_string(i)).c_str());
      run(i);
    });
}

TaskPool::~TaskPool() {
  const MutexLock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void TaskPool::add(Task task) {
  const MutexLock lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_one();
}

void TaskPool::run(std::size_t worker) {
  for (;;) {
    Task task;
    {
      MutexLock lock(mutex_);
      changed_.wait(mutex_, [this]() FROND_REQUIRES(mutex_) { return !tasks_.empty() || closed_; });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task(worker);
  }
}

}  // namespace frond::indexer::publish
