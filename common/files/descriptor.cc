#include "common/files/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace frond::files {

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Result<Descriptor> open(const std::filesystem::path& path, int flags, mode_t mode) {
  int fd = -1;
  do fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  if (fd >= 0) return Descriptor(fd);
  const bool creates = (flags & O_CREAT) != 0;
  return system_error(errno == ENOENT && !creates ? Code::kNotFound : Code::kUnavailable,
                      creates ? "creating" : "opening", path);
}

Error system_error(Code code, std::string_view doing, const std::filesystem::path& path) {
  const int number = errno;
  return {code, std::string(doing) + " " + path.string() + ": " + std::strerror(number)};
}

}  // namespace frond::files
