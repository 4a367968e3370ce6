#pragma once
// How long the fields of a document may be that every answer carries: 1,000 hits of the longest fields are 3.5 MiB, so
// an answer's size has a bound. The indexer holds them when it reads a document. A partition from before these limits
// may hold longer fields: who reads one cuts them.
#include <cstddef>

namespace frond::text {

// Of a document's id. A document with a longer one is refused: a cut id may be another document's.
inline constexpr std::size_t kMaxIdBytes = 512;
// Of a document's title. A longer one is cut between characters.
inline constexpr std::size_t kMaxTitleBytes = 1024;
// Of a document's URL. A longer one is left out: a cut URL leads elsewhere.
inline constexpr std::size_t kMaxUrlBytes = 2048;

}  // namespace frond::text
