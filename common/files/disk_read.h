#pragma once
// Reads a file as the disk has it, for checking: what the system's cache holds is neither used nor displaced.
#include <cstddef>
#include <filesystem>
#include <functional>

#include "common/base/bytes.h"
#include "common/base/result.h"

namespace frond::files {

inline constexpr std::size_t kDiskPieceBytes = std::size_t{256} << 10;

// Calls `sink` with pieces of kDiskPieceBytes, the last one shorter; stops at the sink's first error and returns it.
// Where the file system has no direct reads (tmpfs, some network ones), it reads through the cache and then gives up
// the pages that no mapping uses. kNotFound: there is no such file; kUnavailable: it can't be read.
Result<void> read_from_disk(const std::filesystem::path& path, const std::function<Result<void>(ByteView)>& sink);

}  // namespace frond::files
