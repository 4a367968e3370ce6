#include "common/base/line_writer.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <utility>

#include "common/base/check.h"
#include "common/base/mutex.h"
#include "common/base/threads/thread_name.h"

namespace frond {
namespace {

using std::chrono::milliseconds, std::chrono::steady_clock;

constexpr milliseconds kLastLines{1000};  // that a writer or process which ends waits for its last lines to be read
constexpr milliseconds kPollInterval{2};

// Lines that all writers took, and have written or given up. For write_stderr(), which takes no lock.
std::atomic<std::uint64_t> taken_by_all{0}, done_by_all{0};

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

// Writes all of it, however long that takes; false: the descriptor failed.
bool write_whole(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && would_block()) {  // another process made the descriptor non-blocking
      pollfd waiting{fd, POLLOUT, 0};
      ::poll(&waiting, 1, -1);
    } else if (written == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

struct LineWriter::State {
  struct Entry {
    std::string line;
    std::uint64_t missing = 0;  // lines that were dropped here; 0: it is a line
    std::size_t cost() const { return line.size() + sizeof(Entry); }
  };

  State(int to, std::size_t max, GapLine gap) : fd(to), max_bytes(max), gap_line(std::move(gap)) {}
  const int fd;
  const std::size_t max_bytes;
  const GapLine gap_line;
  std::atomic<std::uint64_t> dropped{0};

  mutable Mutex mutex;
  mutable std::condition_variable_any changed;
  std::deque<Entry> waiting FROND_GUARDED_BY(mutex);
  std::size_t bytes FROND_GUARDED_BY(mutex) = 0;  // of `waiting`, and of the line that is being written
  bool writing FROND_GUARDED_BY(mutex) = false;
  bool stop FROND_GUARDED_BY(mutex) = false;
  bool ended FROND_GUARDED_BY(mutex) = false;
};

LineWriter::LineWriter(int fd, std::size_t max_bytes, GapLine gap_line)
    : state_(std::make_shared<State>(fd, max_bytes, std::move(gap_line))) {
  // The new thread inherits a mask that blocks all signals: other threads handle them.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([state = state_] { run(*state); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LineWriter::~LineWriter() {
  const auto until = steady_clock::now() + kLastLines;
  bool ended = false;
  {
    MutexLock lock(state_->mutex);
    state_->stop = true;
    state_->changed.notify_all();
    while (!state_->ended && state_->changed.wait_until(lock.mutex(), until) != std::cv_status::timeout) {
    }
    ended = state_->ended;
  }
  if (ended)
    thread_.join();
  else
    thread_.detach();
}

void LineWriter::write(std::string line) {
  State& state = *state_;
  const MutexLock lock(state.mutex);
  State::Entry entry{std::move(line)};
  const bool fits = state.bytes + entry.cost() <= state.max_bytes;
  if (fits || state.waiting.empty() || state.waiting.back().missing == 0) {
    state.waiting.push_back(fits ? std::move(entry) : State::Entry());
    state.bytes += state.waiting.back().cost();
    taken_by_all.fetch_add(1);
  }
  if (!fits) {
    ++state.waiting.back().missing;
    state.dropped.fetch_add(1, std::memory_order_relaxed);
  }
  state.changed.notify_all();
}

void LineWriter::run(State& state) {
  name_this_thread("log");
  MutexLock lock(state.mutex);
  for (;;) {
    while (state.waiting.empty() && !state.stop) state.changed.wait(lock.mutex());
    if (state.waiting.empty()) break;
    const State::Entry next = std::move(state.waiting.front());
    state.waiting.pop_front();
    state.writing = true;
    state.mutex.unlock();
    const bool written = write_whole(state.fd, next.missing == 0 ? next.line : state.gap_line(next.missing));
    if (!written && next.missing == 0) state.dropped.fetch_add(1, std::memory_order_relaxed);
    done_by_all.fetch_add(1);
    state.mutex.lock();
    state.writing = false;
    state.bytes -= next.cost();
    if (state.waiting.empty()) state.changed.notify_all();
  }
  state.ended = true;
  state.changed.notify_all();
}

std::uint64_t LineWriter::dropped() const { return state_->dropped.load(std::memory_order_relaxed); }

bool LineWriter::flush(milliseconds patience) const {
  const auto until = steady_clock::now() + patience;
  MutexLock lock(state_->mutex);
  while (!state_->waiting.empty() || state_->writing)
    if (state_->changed.wait_until(lock.mutex(), until) == std::cv_status::timeout)
      return state_->waiting.empty() && !state_->writing;
  return true;
}

void write_stderr(std::string_view text) {
  const auto until = steady_clock::now() + kLastLines;
  while (done_by_all.load() < taken_by_all.load() && steady_clock::now() < until)
    std::this_thread::sleep_for(kPollInterval);
  const auto end = steady_clock::now() + kLastLines;
  while (!text.empty()) {
    const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now()).count();
    pollfd waiting{STDERR_FILENO, POLLOUT, 0};
    const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready == 0 || (ready < 0 && errno != EINTR)) return;
    if (ready < 0) continue;
    // A pipe that is ready takes PIPE_BUF bytes without blocking.
    const ssize_t written = ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (written == 0 || (errno != EINTR && !would_block()))
      return;
  }
}

// check.h: the condition is written after the log lines that still wait.
void base_detail::check_failed(const char* file, int line, const char* condition) {
  write_stderr(std::string(file) + ":" + std::to_string(line) + ": FROND_CHECK failed: " + condition + "\n");
  std::abort();
}

}  // namespace frond
