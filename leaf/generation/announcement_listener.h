#pragma once
// Hears of new generations from the repository (CurrentWatch) and lets the follower look at once, instead of at its
// next poll. Nothing depends on it: whatever it does not hear, the poll finds.
#include <chrono>
#include <functional>
#include <memory>

#include "common/metrics/registry.h"
#include "common/repository/current_watch.h"
#include "leaf/generation/stoppable_thread.h"

namespace frond::leaf::generation {

class AnnouncementListener {
 public:
  // Between tries, where the place can't be asked, and where it does not tell of changes.
  static constexpr std::chrono::milliseconds kAfterError{1000}, kWhereItCannotTell{10'000};

  // `watch` may be null: then there is nothing to hear. `heard` is called on the thread "leaf-announce". `registry` may
  // be null.
  AnnouncementListener(std::unique_ptr<repository::CurrentWatch> watch, std::function<void()> heard,
                       metrics::Registry* registry, const metrics::Labels& labels);
  ~AnnouncementListener();
  AnnouncementListener(const AnnouncementListener&) = delete;
  AnnouncementListener& operator=(const AnnouncementListener&) = delete;

  void start();
  // False: the thread was still connecting after `patience`. The process may exit anyway.
  bool stop(std::chrono::milliseconds patience);

 private:
  void run();

  const std::unique_ptr<repository::CurrentWatch> watch_;
  const std::function<void()> heard_;
  metrics::Counter announced_;
  StoppableThread thread_;
};

}  // namespace frond::leaf::generation
