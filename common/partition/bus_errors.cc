#include "common/partition/bus_errors.h"

#include <signal.h>
#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <mutex>

#include "common/base/check.h"
#include "common/base/mutex.h"

namespace frond::partition {
namespace {

// A mapping that is watched. Nodes are never freed, since a handler may read any of them at any time; unused ones are
// reused. While the version is odd, the node is being changed.
struct Watched {
  std::atomic<std::uint64_t> version{0};
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<std::atomic<bool>*> lost{nullptr};
  Watched* next = nullptr;  // set before the node can be seen
};

std::atomic<Watched*> all_watched{nullptr};
struct sigaction handler_before {};

// For writers; the handler takes no lock.
Mutex& writers() {
  static Mutex mutex;
  return mutex;
}

void change(Watched& node, std::uintptr_t begin, std::uintptr_t end, std::atomic<bool>* lost) {
  const std::uint64_t version = node.version.load(std::memory_order_relaxed);
  node.version.store(version + 1);
  node.begin.store(begin);
  node.end.store(end);
  node.lost.store(lost);
  node.version.store(version + 2);
}

// Called in a signal handler. The node of the faulting mapping is not changed meanwhile, since its reader holds it; so
// nodes that are being changed are skipped.
struct Found {
  std::uintptr_t begin = 0, end = 0;
  std::atomic<bool>* lost = nullptr;
};
Found find(std::uintptr_t at) {
  for (const Watched* node = all_watched.load(); node != nullptr; node = node->next) {
    const std::uint64_t version = node->version.load();
    const Found found{node->begin.load(), node->end.load(), node->lost.load()};
    if (version % 2 == 0 && node->version.load() == version && found.begin <= at && at < found.end) return found;
  }
  return {};
}

// Uses only atomics and system calls.
void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int before = errno;
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const Found found = info->si_code > 0 ? find(at) : Found{};  // si_code > 0: a fault, not a signal that was sent
  if (found.lost != nullptr) {
    found.lost->store(true);  // before any thread can read zeros
    void* const place = std::bit_cast<void*>(found.begin);
    constexpr int kHow = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
    if (::mmap(place, found.end - found.begin, PROT_READ, kHow, -1, 0) == place) {
      errno = before;
      return;
    }
  }
  errno = before;
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) return handler_before.sa_sigaction(signal, info, context);
  if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN)
    return handler_before.sa_handler(signal);
  // The process ends as without us: at once if the signal was sent, else when the instruction runs again.
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(signal, &usual, nullptr);
  if (info->si_code <= 0) ::raise(signal);
}

void install() {
  struct sigaction ours {};
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&ours.sa_mask);
  FROND_CHECK(::sigaction(SIGBUS, &ours, &handler_before) == 0);
}

}  // namespace

void watch_mapping(const std::byte* begin, std::size_t bytes, std::atomic<bool>& lost) {
  static std::once_flag once;
  std::call_once(once, install);
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const MutexLock lock(writers());
  Watched* free = all_watched.load();
  while (free != nullptr && free->lost.load() != nullptr) free = free->next;
  if (free == nullptr) {
    free = new Watched;
    free->next = all_watched.load();
    change(*free, from, from + bytes, &lost);
    all_watched.store(free);
    return;
  }
  change(*free, from, from + bytes, &lost);
}

void stop_watching(const std::byte* begin) {
  const MutexLock lock(writers());
  for (Watched* node = all_watched.load(); node != nullptr; node = node->next)
    if (node->lost.load() != nullptr && node->begin.load() == reinterpret_cast<std::uintptr_t>(begin))
      return change(*node, 0, 0, nullptr);
}

}  // namespace frond::partition
