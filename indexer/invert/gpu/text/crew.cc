#include "indexer/invert/gpu/text/crew.h"

#include <string>
#include <utility>

#include "common/base/thread_name.h"

namespace frond::indexer::invert::gpu {

Crew::Crew(std::uint32_t threads) {
  for (std::uint32_t i = 1; i < threads; ++i)
    threads_.emplace_back([this, i] {
      name_this_thread(("texts-" + std::to_string(i)).c_str());
      follow(i);
    });
}

Crew::~Crew() {
  {
    const MutexLock lock(mutex_);
    leaving_ = true;
  }
  begun_.notify_all();
}

void Crew::follow(std::uint32_t thread) {
  MutexLock lock(mutex_);
  for (;;) {
    begun_.wait(mutex_, [this]() FROND_REQUIRES(mutex_) { return leaving_ || next_ < parts_; });
    if (leaving_) return;
    work_on_parts(thread);
  }
}

// Begins parts as long as there are any. Without the lock while it works on one.
void Crew::work_on_parts(std::uint32_t thread) {
  while (next_ < parts_) {
    const std::uint32_t part = next_++;
    const Call call = call_;
    void* const work = work_;
    std::exception_ptr thrown;
    mutex_.unlock();
    try {
      call(work, thread, part);
    } catch (...) {
      thrown = std::current_exception();
    }
    mutex_.lock();
    if (thrown) thrown_ = std::move(thrown);
    if (--left_ == 0) ended_.notify_one();
  }
}

void Crew::run(std::uint32_t parts, Call call, void* work) {
  if (parts <= 1) {
    if (parts == 1) call(work, 0, 0);
    return;
  }
  std::exception_ptr thrown;
  {
    MutexLock lock(mutex_);
    call_ = call;
    work_ = work;
    next_ = 0;
    parts_ = left_ = parts;
    begun_.notify_all();
    work_on_parts(0);
    ended_.wait(mutex_, [this]() FROND_REQUIRES(mutex_) { return left_ == 0; });
    thrown = std::exchange(thrown_, nullptr);
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace frond::indexer::invert::gpu
