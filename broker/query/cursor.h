#pragma once
// A place in a sorted ranking as text for clients, so that they can ask for the hits behind it: of whichever broker,
// and of the same generation, so that no hit is missing or there twice. Pure functions.
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/query/sort_order.h"

namespace frond::broker::query {

struct Cursor {
  GenerationId generation;
  std::uint64_t query = 0;           // hash of all that decides the ranking (query_hash)
  frond::query::SortPosition after;  // without bytes: in front of the first hit
  friend bool operator==(const Cursor&, const Cursor&) = default;
};

inline constexpr std::size_t kMaxCursorBytes = (frond::query::kMaxSortBytes + 64) / 3 * 4;

// base64url of the bytes: version 1 (one byte), then little-endian the generation's number and content, the hash and
// the ordinal (8 bytes each), the sort bytes, and 8 bytes of XXH3 of all that.
std::string cursor_text(const Cursor& cursor);
// kInvalid: the text is cut, changed, or no cursor; the message follows the name of what it was given as.
Result<Cursor> read_cursor(std::string_view text);

std::uint64_t query_hash(std::string_view query);

}  // namespace frond::broker::query
