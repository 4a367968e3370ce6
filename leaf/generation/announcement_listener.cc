#include "leaf/generation/announcement_listener.h"

#include <utility>

#include "common/base/threads/thread_name.h"
#include "leaf/families/metric_families.h"

namespace frond::leaf::generation {

using repository::CurrentWatch;

AnnouncementListener::AnnouncementListener(std::unique_ptr<CurrentWatch> watch, std::function<void()> heard,
                                           metrics::Registry* registry, const metrics::Labels& labels)
    : watch_(std::move(watch)), heard_(std::move(heard)) {
  if (registry != nullptr) announced_ = registry->counter(families::kAnnouncements, labels);
}

AnnouncementListener::~AnnouncementListener() { static_cast<void>(stop(std::chrono::milliseconds(0))); }

void AnnouncementListener::start() {
  if (watch_ != nullptr) thread_.start([this] { run(); });
}

bool AnnouncementListener::stop(std::chrono::milliseconds patience) {
  if (watch_ != nullptr) watch_->interrupt();
  return thread_.stop(patience);
}

void AnnouncementListener::run() {
  name_this_thread("leaf-announce");
  for (std::chrono::milliseconds span{0}; thread_.pause_until(std::chrono::steady_clock::now() + span);) {
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
}

}  // namespace frond::leaf::generation
