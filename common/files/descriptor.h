#pragma once
// File descriptors and the errors of the system's file calls.
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"

namespace frond::files {

// Owns one file descriptor and closes it when destroyed. Default-constructed and moved-from objects own none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// open(2) with O_CLOEXEC, of a regular file, or with O_DIRECTORY of a folder; for writing also of a device of
// characters
// (/dev/null). Does not wait: a pipe, which would have to be waited for, a socket or another device is kUnavailable,
// and so is any other error, but kNotFound: the file does not exist, and `flags` has no O_CREAT.
Result<Descriptor> open(const std::filesystem::path& path, int flags, mode_t mode = 0644);
// For reading what somebody gives once, to one command: a regular file, /dev/null, or what a shell passes by number, as
// /dev/stdin or <(…) do (/dev/fd/N): such a pipe is waited for, as long as reading takes. Anything else is refused as
// above: a pipe with a name of its own may have no writer, ever.
Result<Descriptor> open_input(const std::filesystem::path& path);
// A regular file for reading, at `relative`, names joined by '/', below the folder `root`. Below it no symbolic link is
// followed. kNotFound; kInvalid: there is a link on the way, or something else than a file; kUnavailable.
Result<Descriptor> open_beneath(const std::filesystem::path& root, std::string_view relative);
// A file or folder, for reading, whatever it is: not to be read. Does not wait.
Result<Descriptor> open_any(const std::filesystem::path& path);

// What an error of these says of `path`, without "opening <path>: ".
std::string reason_of(const Error& error, const std::filesystem::path& path);

// "<doing> <path>: <what errno says>". Reads errno, so nothing may come between the failed call and this one.
Error system_error(Code code, std::string_view doing, const std::filesystem::path& path);

}  // namespace frond::files
