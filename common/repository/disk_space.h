#pragma once
// Free space of a disk, checked before much is written to it.
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "common/base/result.h"

namespace frond::repository {

// Bytes that an unprivileged process may still write to the file system of `folder`, or of the nearest parent folder
// that exists. kUnavailable: the system can't tell.
Result<std::uint64_t> free_bytes(const std::filesystem::path& folder);

// kUnavailable unless `needed` bytes can be written to the folder with `reserve` bytes left free. The message names
// `what` needs them ("fetching generation 7"), how many, and how many are free.
Result<void> expect_room(const std::filesystem::path& folder, std::uint64_t needed, std::uint64_t reserve,
                         std::string_view what);

}  // namespace frond::repository
