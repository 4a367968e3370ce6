#pragma once
// Runs programs together: starts them, starts again those that end, and ends all of them in order. One thread, the main
// one, in which no other thread was started.
//
// A program that ends by itself is started again after a pause, which doubles each time up to kMostPause. One that
// ends kMostDeaths times without having run for kLongLife in between, or that refuses its flags, ends them all.
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "tools/up/child.h"

namespace frond::tools::up {

class Supervisor {
 public:
  static constexpr std::chrono::milliseconds kFirstPause{250}, kMostPause{15'000};
  static constexpr std::chrono::seconds kLongLife{60};
  static constexpr unsigned kMostDeaths = 8;

  // `say` gets lines for people.
  using Say = std::function<void(const std::string&)>;
  // From here on SIGINT, SIGTERM and SIGHUP are taken by run_once() and run(). kUnavailable.
  static Result<std::unique_ptr<Supervisor>> create(Say say);
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor() = default;

  // Runs one program to its end; a signal is passed on to it. How it ended, or nothing after a signal.
  Result<std::optional<Ended>> run_once(Child& child);

  // Runs all, which are in the order of starting, until a signal: then the last one is asked to end first, and one
  // that takes longer than `patience` is killed; a second signal kills all. `attend` is called each kAttend until it
  // says that it need not be any more; it may take a second. kUnavailable: one can't be kept running, or what `attend`
  // returned: then all are ended, too.
  static constexpr std::chrono::milliseconds kAttend{50}, kPatience{45'000};
  enum class Attended { kAgain, kDone };
  Result<void> run(const std::vector<Child*>& children, const std::function<Result<Attended>()>& attend);

 private:
  using Clock = std::chrono::steady_clock;
  struct Life {
    Child* child;
    Clock::time_point began{}, again{};  // started; to be started
    unsigned deaths = 0;                 // in a row
  };

  Supervisor(Say say, files::Descriptor signals) : say_(std::move(say)), signals_(std::move(signals)) {}
  // Waits for output, the end of a child, a signal or `until`, and takes output. Returns whether a signal asks for the
  // end.
  bool wait(const std::vector<Child*>& children, Clock::time_point until);
  Result<void> look_after(Life& life);
  Result<void> start(Life& life);
  void end_all(const std::vector<Child*>& children);
  void show(const Child& child);

  const Say say_;
  const files::Descriptor signals_;
};

}  // namespace frond::tools::up
