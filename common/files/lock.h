#pragma once
// Exclusive locks between processes: flock(2) on a file or folder.
#include <filesystem>
#include <optional>

#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::files {

// Locks the file, which is created if missing, without waiting. The lock lasts as long as the returned descriptor;
// nullopt: another open descriptor, of this process or another, has it. kUnavailable: the file can't be opened or
// locked.
Result<std::optional<Descriptor>> try_lock_file(const std::filesystem::path& path);
// The same for a folder, which must exist (kNotFound).
Result<std::optional<Descriptor>> try_lock_folder(const std::filesystem::path& path);

}  // namespace frond::files
