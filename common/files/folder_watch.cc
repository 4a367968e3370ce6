#include "common/files/folder_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace frond::files {
namespace {

constexpr std::uint32_t kWanted = IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

Result<FolderWatch> FolderWatch::open() {
  Descriptor inotify(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify.valid()) return system_error(Code::kUnavailable, "watching", "folders");
  return FolderWatch(std::move(inotify));
}

Result<int> FolderWatch::add(const std::filesystem::path& folder) {
  const int added = ::inotify_add_watch(inotify_.get(), folder.c_str(), kWanted);
  if (added < 0)
    return system_error(errno == ENOENT || errno == ENOTDIR ? Code::kNotFound : Code::kUnavailable, "watching", folder);
  return added;
}

void FolderWatch::remove(int folder) { ::inotify_rm_watch(inotify_.get(), folder); }

std::vector<FolderWatch::Event> FolderWatch::events() {
  std::vector<Event> events;
  alignas(inotify_event) std::array<char, 16 << 10> bytes;
  for (;;) {
    const auto got = TEMP_FAILURE_RETRY(::read(inotify_.get(), bytes.data(), bytes.size()));
    if (got <= 0) return events;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event head{};
      std::memcpy(&head, bytes.data() + at, sizeof head);
      Event& event = events.emplace_back();
      event.folder = head.wd;
      if (head.len > 0) event.name = bytes.data() + at + sizeof head;  // padded with zeros
      event.overflow = (head.mask & IN_Q_OVERFLOW) != 0;
      event.gone = (head.mask & (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF)) != 0;
      at += sizeof head + head.len;
    }
  }
}

Interrupt::Interrupt() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!event_.valid()) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Interrupt::raise() {
  const std::uint64_t once = 1;
  (void)TEMP_FAILURE_RETRY(::write(event_.get(), &once, sizeof once));
}

bool Interrupt::raised() const {
  pollfd looked{event_.get(), POLLIN, 0};
  return ::poll(&looked, 1, 0) > 0;
}

}  // namespace frond::files
