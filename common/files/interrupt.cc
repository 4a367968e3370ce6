#include "common/files/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace frond::files {

Interrupt::Interrupt() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!event_.valid()) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Interrupt::raise() {
  const std::uint64_t once = 1;
  while (::write(event_.get(), &once, sizeof once) < 0 && errno == EINTR) {
  }
}

bool Interrupt::raised() const {
  pollfd looked{event_.get(), POLLIN, 0};
  return ::poll(&looked, 1, 0) > 0;
}

}  // namespace frond::files
