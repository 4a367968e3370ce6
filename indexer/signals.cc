#include "indexer/signals.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

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

StopOnSignal::StopOnSignal() {
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
  for (int number = 0; ::sigwait(&set, &number) == 0 && !over_;) {
    if (signal_ != 0) ::_exit(128 + number);
    signal_ = number;
    stop_.request_stop();
  }
}

}  // namespace frond::indexer
