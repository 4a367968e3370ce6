#pragma once
// Files that hold no text, told by how they begin.
#include <optional>
#include <string_view>

#include "indexer/ingest/skipped.h"

namespace frond::indexer::ingest {

// The kind of a file that begins with `head`, where its format says so with bytes of its own: archives, pictures, PDF,
// programs. Nothing: it may be text. 512 bytes are enough.
std::optional<SkipReason> known_kind(std::string_view head);

// Of a file of no known kind: what it is when it is hardly text, since more than one of its first 8 Ki characters in 50
// is a control character. NULs count as such, but for those around the content. UTF-16 and UTF-32 are text.
std::optional<SkipReason> binary_kind(std::string_view head);

}  // namespace frond::indexer::ingest
