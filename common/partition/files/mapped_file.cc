#include "common/partition/files/mapped_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "common/base/check.h"
#include "common/base/mutex.h"
#include "common/files/read.h"

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

// From now on a fault in [begin, begin + bytes), whole pages of a mapping, sets `lost` and then replaces all of these
// pages by zeros. The first call installs the handler. Any thread. `lost` and the mapping live until stop_watching().
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

std::size_t whole_pages(std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& file,
                                                           std::shared_ptr<const Loss> loss) {
  files::Descriptor opened = FROND_TRY(files::open(file, O_RDONLY));
  const std::shared_ptr<MappedFile> made(new MappedFile(file, std::move(opened), std::move(loss)));
  FROND_TRY(made->map());
  return std::shared_ptr<const MappedFile>(made);
}

Result<void> MappedFile::map() {
  const std::uint64_t size = FROND_TRY(files::size_of(file_, name_));
  if (size == 0) return {};
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file_.get(), 0);
  // The system's value. NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (at == MAP_FAILED) return files::system_error(Code::kUnavailable, "mapping", name_);
  size_ = size;
  begin_ = static_cast<const std::byte*>(at);
  watch_mapping(begin_, whole_pages(size_), loss_->flag());
  return {};
}

MappedFile::~MappedFile() {
  if (begin_ != nullptr) {
    stop_watching(begin_);
    ::munmap(const_cast<std::byte*>(begin_), size_);
  }
}

ByteView MappedFile::view(std::uint64_t offset, std::size_t bytes) const {
  FROND_CHECK(offset <= size_ && bytes <= size_ - offset);
  return {begin_ + offset, bytes};
}

Result<std::size_t> MappedFile::copy(std::uint64_t offset, std::span<char> to) const {
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), size_ - std::min(offset, size_)));
  if (bytes > 0) std::memcpy(to.data(), begin_ + offset, bytes);
  if (loss_->happened()) return lost();
  return bytes;
}

Result<void> MappedFile::read_through(const std::function<void(ByteView)>& sink) const {
  if (begin_ == nullptr) return check();
  auto* const begin = const_cast<std::byte*>(begin_);
  // Advice: where the system does not take it, reading is slower or more is resident.
  (void)::madvise(begin, size_, MADV_SEQUENTIAL);
  for (std::uint64_t at = 0; at < size_; at += kPieceBytes) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, size_ - at));
    sink(view(at, bytes));
    (void)::madvise(begin + at, bytes, MADV_DONTNEED);
  }
  return check();
}

Result<void> MappedFile::check() const {
  struct stat told {};
  const bool tells = ::fstat(file_.get(), &told) == 0;
  if (!tells || static_cast<std::uint64_t>(told.st_size) < size_) loss_->note();
  return loss_->happened() ? Result<void>(lost()) : Result<void>();
}

// The reason, if it can still be found: this file may be whole, and another of its set lost.
Error MappedFile::lost() const {
  struct stat told {};
  if (::fstat(file_.get(), &told) == 0 && static_cast<std::uint64_t>(told.st_size) < size_)
    return Error(Code::kCorrupt, name_.string() + ": was cut short: " + std::to_string(told.st_size) + " of " +
                                     std::to_string(size_) + " bytes are left");
  return Error(Code::kUnavailable, name_.string() + ": it, or another file of the same folder, could not be read");
}

}  // namespace frond::partition
