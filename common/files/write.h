#pragma once
// Writing files so that they survive a crash: written whole, synced, renamed into place, and the folder synced.
// Errors are kUnavailable unless said otherwise, and name the file and the cause.
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::files {

// What replace_file() appends to a file's name for its draft.
inline constexpr std::string_view kDraftSuffix = ".part";

// Writes all of `bytes` at the descriptor's position. `path` is for messages.
Result<void> write_all(const Descriptor& file, ByteView bytes, const std::filesystem::path& path);
// The same from byte `from`, wherever that is.
Result<void> write_at(const Descriptor& file, std::uint64_t from, ByteView bytes, const std::filesystem::path& path);
// fsync(2): the file's content, or a folder's names, are on the disk when this returns.
Result<void> sync(const Descriptor& file, const std::filesystem::path& path);
Result<void> sync(const std::filesystem::path& file_or_folder);
// The folder that holds `path`: "." where the path names none.
Result<void> sync_parent(const std::filesystem::path& path);

// Creates or overwrites the file in place; not synced.
Result<void> write_file(const std::filesystem::path& path, std::string_view text);
// The same, synced; the folder is not.
Result<void> write_synced(const std::filesystem::path& path, std::string_view text);
// Creates a file of this mode, synced. kInvalid: the file exists, and stays as it is. After any other error there is no
// file.
Result<void> write_new(const std::filesystem::path& path, std::string_view text, mode_t mode);
// Replaces the file atomically and durably: writes and syncs "<path>.part", renames it to `path`, syncs the folder. If
// that fails, the file is as it was before, and the draft may be left behind.
Result<void> replace_file(const std::filesystem::path& path, std::string_view text);
// rename(2); neither folder is synced.
Result<void> rename(const std::filesystem::path& from, const std::filesystem::path& to);

// Exclusive locks between processes: flock(2). Locks the file, which is created if missing, without waiting. The lock
// lasts as long as the returned descriptor; nullopt: another open descriptor, of this process or another, has it.
// kUnavailable: the file can't be opened or locked.
Result<std::optional<Descriptor>> try_lock_file(const std::filesystem::path& path);
// The same for a folder, which must exist (kNotFound).
Result<std::optional<Descriptor>> try_lock_folder(const std::filesystem::path& path);

}  // namespace frond::files
