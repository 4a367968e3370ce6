#pragma once
// What may be in a collection's folder of a directory, and whether a removed one's remains are in a place.
#include <filesystem>

#include "common/base/result.h"

namespace frond::indexer::write {

// Whether a collection may be made there: nothing is there, or a folder with nothing but a collection's files. Names
// that begin with a dot, and lost+found, may be in it. kCorrupt: what is in the way; kUnavailable: it can't be read.
Result<void> expect_room_for_collection(const std::filesystem::path& folder);

// Empties a folder that can't be renamed, a mount for example, and removes it if it may. What makes it a collection's
// goes first and last: if it dies in between, the rest is a collection still, or nothing. kUnavailable.
Result<void> empty_collection_folder(const std::filesystem::path& folder);

}  // namespace frond::indexer::write
