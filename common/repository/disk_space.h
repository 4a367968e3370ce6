#pragma once
// Room on a disk, asked for before much is written to it.
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "common/base/result.h"

namespace frond::repository {

// What processes without privileges may still write to the file system of `folder`, or of the next folder above that
// exists. kUnavailable.
Result<std::uint64_t> free_bytes(const std::filesystem::path& folder);

// kUnavailable, naming what is needed and what is free, unless `needed` bytes can be written there and `reserve` stay
// free. `what` is what needs them: "fetching generation 7".
Result<void> expect_room(const std::filesystem::path& folder, std::uint64_t needed, std::uint64_t reserve,
                         std::string_view what);

}  // namespace frond::repository
