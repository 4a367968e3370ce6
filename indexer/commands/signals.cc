#include "indexer/commands/signals.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <ctime>
#include <string>

#include "common/base/line_writer.h"
#include "common/base/thread_name.h"

namespace frond::indexer {
namespace {

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

StopOnSignal::StopOnSignal(std::chrono::milliseconds patience) : patience_(patience) {
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { wait(); });
}

StopOnSignal::~StopOnSignal() {
  over_ = true;
  // Wakes the thread that waits for it; all others have it blocked. NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread)
  ::pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void StopOnSignal::wait() {
  name_this_thread("signals");
  const sigset_t set = stop_signals();
  int number = 0;
  if (::sigwait(&set, &number) != 0 || over_) return;
  signal_ = number;
  stop_.request_stop();
  const std::chrono::seconds whole = std::chrono::duration_cast<std::chrono::seconds>(patience_);
  const timespec span{whole.count(), std::chrono::nanoseconds(patience_ - whole).count()};
  const int again = ::sigtimedwait(&set, nullptr, &span);
  if (over_) return;
  if (again < 0)
    write_stderr("frond-indexer: stopped by signal " + std::to_string(number) + ", in the middle of work\n");
  ::_exit(128 + (again > 0 ? again : number));
}

}  // namespace frond::indexer
