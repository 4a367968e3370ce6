#include "leaf/generation/announcement_listener.h"

#include <utility>

#include "common/base/thread_name.h"
#include "leaf/families/metric_families.h"

namespace frond::leaf::generation {

using repository::CurrentWatch;

AnnouncementListener::AnnouncementListener(std::unique_ptr<CurrentWatch> watch, std::function<void()> heard,
                                           metrics::Registry* registry, const metrics::Labels& labels)
    : watch_(std::move(watch)), heard_(std::move(heard)) {
  if (registry != nullptr) announced_ = registry->counter(families::kAnnouncements, labels);
}

AnnouncementListener::~AnnouncementListener() {
  static_cast<void>(stop(std::chrono::milliseconds(0)));
  if (thread_.joinable()) thread_.join();
}

void AnnouncementListener::start() {
  if (watch_ == nullptr) return;
  {
    const MutexLock lock(mutex_);
    ended_ = false;
  }
  thread_ = std::thread([this] { run(); });
}

bool AnnouncementListener::stop(std::chrono::milliseconds patience) {
  if (watch_ != nullptr) watch_->interrupt();
  MutexLock lock(mutex_);
  stop_ = true;
  changed_.notify_all();
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!ended_)
    if (changed_.wait_until(lock.mutex(), until) == std::cv_status::timeout) return ended_;
  return true;
}

// False: it stops.
bool AnnouncementListener::pause(std::chrono::milliseconds span) {
  MutexLock lock(mutex_);
  const auto until = std::chrono::steady_clock::now() + span;
  while (!stop_ && span.count() > 0 && changed_.wait_until(lock.mutex(), until) != std::cv_status::timeout) {
  }
  return !stop_;
}

void AnnouncementListener::run() {
  name_this_thread("leaf-announce");
  for (std::chrono::milliseconds span{0}; pause(span);) {
    const auto news = watch_->wait();
    span = std::chrono::milliseconds(0);
    if (!news) {
      span = kAfterError;  // the follower's poll meets the same error, and reports it
    } else if (*news == CurrentWatch::News::kChanged) {
      announced_.add();
      heard_();
    } else if (*news == CurrentWatch::News::kCannotTell) {
      span = kWhereItCannotTell;
    }
  }
  const MutexLock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace frond::leaf::generation
