#include "common/files/write.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <utility>

namespace frond::files {
namespace {

Result<Descriptor> write_over(const std::filesystem::path& path, std::string_view text) {
  Descriptor out = FROND_TRY(open(path, O_WRONLY | O_CREAT | O_TRUNC));
  FROND_TRY(write_all(out, as_bytes(text), path));
  return out;
}

Result<std::optional<Descriptor>> try_lock(Descriptor opened, const std::filesystem::path& path) {
  if (TEMP_FAILURE_RETRY(::flock(opened.get(), LOCK_EX | LOCK_NB)) == 0)
    return std::optional<Descriptor>(std::move(opened));
  if (errno == EWOULDBLOCK) return std::optional<Descriptor>();
  return system_error(Code::kUnavailable, "locking", path);
}

}  // namespace

Result<void> write_all(const Descriptor& file, ByteView bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = TEMP_FAILURE_RETRY(::write(file.get(), bytes.data(), bytes.size()));
    if (written < 0) return system_error(Code::kUnavailable, "writing", path);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> write_at(const Descriptor& file, std::uint64_t from, ByteView bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written =
        TEMP_FAILURE_RETRY(::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(from)));
    if (written < 0) return system_error(Code::kUnavailable, "writing", path);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    from += static_cast<std::uint64_t>(written);
  }
  return {};
}

Result<void> sync(const Descriptor& file, const std::filesystem::path& path) {
  if (::fsync(file.get()) != 0) return system_error(Code::kUnavailable, "syncing", path);
  return {};
}

Result<void> sync(const std::filesystem::path& file_or_folder) {
  auto opened = open_any(file_or_folder);
  if (!opened) return Error(Code::kUnavailable, opened.error().message());
  return sync(*opened, file_or_folder);
}

Result<void> sync_parent(const std::filesystem::path& path) {
  return sync(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
}

Result<void> write_file(const std::filesystem::path& path, std::string_view text) {
  FROND_TRY(write_over(path, text));
  return {};
}

Result<void> write_synced(const std::filesystem::path& path, std::string_view text) {
  const Descriptor written = FROND_TRY(write_over(path, text));
  return sync(written, path);
}

Result<void> write_new(const std::filesystem::path& path, std::string_view text, mode_t mode) {
  const Descriptor made(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!made.valid()) {
    if (errno == EEXIST) return Error(Code::kInvalid, path.string() + " exists already and is not overwritten");
    return system_error(Code::kUnavailable, "creating", path);
  }
  auto done = write_all(made, as_bytes(text), path);
  if (done) done = sync(made, path);
  if (!done) ::unlink(path.c_str());
  return done;
}

Result<void> replace_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path draft = std::filesystem::path(path) += kDraftSuffix;
  FROND_TRY(write_synced(draft, text));
  FROND_TRY(files::rename(draft, path));
  return sync_parent(path);
}

Result<void> rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    return system_error(Code::kUnavailable, "renaming to " + to.string() + " from", from);
  return {};
}

Result<std::optional<Descriptor>> try_lock_file(const std::filesystem::path& path) {
  return try_lock(FROND_TRY(open(path, O_RDWR | O_CREAT)), path);
}

Result<std::optional<Descriptor>> try_lock_folder(const std::filesystem::path& path) {
  return try_lock(FROND_TRY(open(path, O_RDONLY | O_DIRECTORY)), path);
}

}  // namespace frond::files
