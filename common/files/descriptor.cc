#include "common/files/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace frond::files {
namespace {

Result<Descriptor> open_at_once(const std::filesystem::path& path, int flags, mode_t mode) {
  const int fd = TEMP_FAILURE_RETRY(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode));
  if (fd >= 0) return Descriptor(fd);
  const bool creates = (flags & O_CREAT) != 0;
  return system_error(errno == ENOENT && !creates ? Code::kNotFound : Code::kUnavailable,
                      creates ? "creating" : "opening", path);
}

Result<mode_t> kind_of(const Descriptor& opened, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0) return system_error(Code::kUnavailable, "opening", path);
  return status.st_mode & S_IFMT;
}

Error no_file(const std::filesystem::path& path, mode_t kind) {
  const std::string_view what = kind == S_IFDIR    ? "a folder"
                                : kind == S_IFIFO  ? "a pipe"
                                : kind == S_IFSOCK ? "a socket"
                                                   : "a device";
  return Error(Code::kUnavailable, "opening " + path.string() + ": it is " + std::string(what) + ", not a file");
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Result<Descriptor> open(const std::filesystem::path& path, int flags, mode_t mode) {
  Descriptor opened = FROND_TRY(open_at_once(path, flags, mode));
  const mode_t kind = FROND_TRY(kind_of(opened, path));
  const bool writes = (flags & O_ACCMODE) == O_WRONLY;
  if (kind == S_IFREG || (kind == S_IFDIR && (flags & O_DIRECTORY) != 0) || (kind == S_IFCHR && writes)) return opened;
  return no_file(path, kind);
}

Result<Descriptor> open_input(const std::filesystem::path& path) {
  Descriptor opened = FROND_TRY(open_at_once(path, O_RDONLY, 0));
  const mode_t kind = FROND_TRY(kind_of(opened, path));
  const std::string name = path.string();
  const bool by_number = name == "/dev/stdin" || name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
  if (kind == S_IFREG || name == "/dev/null") return opened;
  if (kind == S_IFDIR || !by_number) return no_file(path, kind);
  const int status = ::fcntl(opened.get(), F_GETFL);
  if (status < 0 || ::fcntl(opened.get(), F_SETFL, status & ~O_NONBLOCK) < 0)
    return system_error(Code::kUnavailable, "opening", path);
  return opened;
}

Result<Descriptor> open_beneath(const std::filesystem::path& root, std::string_view relative) {
  Descriptor at = FROND_TRY(open(root, O_PATH | O_DIRECTORY));
  std::filesystem::path path = root;
  for (;;) {
    const auto slash = relative.find('/');
    const bool last = slash == std::string_view::npos;
    const std::string name(relative.substr(0, slash));
    path /= name;
    const int flags = O_NOFOLLOW | O_CLOEXEC | (last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY);
    Descriptor next(::openat(at.get(), name.c_str(), flags));
    if (!next.valid()) {
      const int why = errno;
      struct stat status {};
      const bool link = ::fstatat(at.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
      if (link) return Error(Code::kInvalid, path.string() + " is a symbolic link, which is not followed");
      errno = why;
      return system_error(why == ENOENT || why == ENOTDIR ? Code::kNotFound : Code::kUnavailable, "opening", path);
    }
    if (last) {
      const mode_t kind = FROND_TRY(kind_of(next, path));
      return kind == S_IFREG ? Result<Descriptor>(std::move(next))
                             : Error(Code::kInvalid, no_file(path, kind).message());
    }
    at = std::move(next);
    relative.remove_prefix(slash + 1);
  }
}

Result<Descriptor> open_any(const std::filesystem::path& path) { return open_at_once(path, O_RDONLY, 0); }

std::string reason_of(const Error& error, const std::filesystem::path& path) {
  const std::string front = "opening " + path.string() + ": ";
  return error.message().starts_with(front) ? error.message().substr(front.size()) : error.message();
}

Error system_error(Code code, std::string_view doing, const std::filesystem::path& path) {
  const int number = errno;
  return {code, std::string(doing) + " " + path.string() + ": " + std::strerror(number)};
}

}  // namespace frond::files
