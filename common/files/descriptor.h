#pragma once
// File descriptors and the errors of the system's file calls.
#include <sys/types.h>

#include <filesystem>
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

// open(2) with O_CLOEXEC. Errors: kNotFound if the file does not exist and `flags` has no O_CREAT; else kUnavailable.
Result<Descriptor> open(const std::filesystem::path& path, int flags, mode_t mode = 0644);

// "<doing> <path>: <what errno says>". Reads errno, so nothing may come between the failed call and this one.
Error system_error(Code code, std::string_view doing, const std::filesystem::path& path);

}  // namespace frond::files
