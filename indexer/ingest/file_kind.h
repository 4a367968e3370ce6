#pragma once
// Files that hold no text, recognised by their first bytes.
#include <optional>
#include <string_view>

#include "indexer/ingest/skipped.h"

namespace frond::indexer::ingest {

// The kind of a file whose first bytes are the signature of a format: archives, pictures, PDF, programs. No value: it
// may be text. `head` needs 512 bytes.
std::optional<SkipReason> known_kind(std::string_view head);

// For a file of no known kind: its kind if it is hardly text, since more than one in 50 of its first 8 Ki characters is
// a control character. NULs count, except before and after the content. UTF-16 and UTF-32 are text.
std::optional<SkipReason> binary_kind(std::string_view head);

// Why a file is skipped that is called by a format of which it has no record.
SkipReason kind_without_records(std::string_view head);

}  // namespace frond::indexer::ingest
