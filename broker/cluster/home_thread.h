#pragma once
// Runs functions on the thread that owns an object. The broker's threads share caches, places and flights; what one of
// them ends may concern a search of another, whose objects only that thread may touch.
#include <functional>
#include <utility>

namespace frond::broker::cluster {

class HomeThread {
 public:
  virtual ~HomeThread() = default;
  // Whether the caller runs on it.
  virtual bool is_here() const = 0;
  // Runs `action` there later, and destroys it there. Any thread.
  virtual void post(std::function<void()> action) = 0;
  // Runs `action` there: now if the caller is there, else later.
  void run(std::function<void()> action) {
    if (is_here()) return action();
    post(std::move(action));
  }
};

// For a broker of one thread: everything is there.
class OnlyThread final : public HomeThread {
 public:
  bool is_here() const override { return true; }
  void post(std::function<void()> action) override { action(); }
};

}  // namespace frond::broker::cluster
