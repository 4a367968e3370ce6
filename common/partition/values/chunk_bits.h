#pragma once
// Vector loops over the codes of a column's chunk (value_column.h), compiled for several instruction sets; the best one
// is chosen at run time. Codes lie at any alignment. Both are for chunks in which a document has at most one value, so
// that the code of a document is at its place; documents without a value have one that means nothing.
#include <cstddef>
#include <cstdint>

#include "common/partition/values/value_column.h"

namespace frond::partition {

// Sets found[i], i < words, to a bit for each of the documents 64 * (word + i) … whose code is `first` to `last`. No
// bits are set past the chunk's last document. `word` + `words` is at most the number of the chunk's words.
void find_codes(const ValueColumn::Chunk& chunk, std::uint32_t word, std::uint32_t words, std::uint64_t first,
                std::uint64_t last, std::uint64_t* found);

// take_codes() writes whole vectors: its output needs room for this many numbers after the last one taken.
inline constexpr std::size_t kTakeSlack = 64;

// Writes the codes of `documents`, a bit for each document of the chunk, one behind the other; returns how many. Codes
// have at most 4 bytes.
std::uint32_t take_codes(const ValueColumn::Chunk& chunk, const std::uint64_t* documents, std::uint32_t* codes);

}  // namespace frond::partition
