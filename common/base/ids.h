#pragma once
// The numbers that name things. Distinct where mixing them up would compile and be wrong.
#include <cstdint>

namespace frond {

using DocId = std::uint32_t;       // a document inside its partition: dense, from 0
using Ordinal = std::uint64_t;     // a document in the collection: base + docID * stride of its partition
using Frequency = std::uint32_t;   // occurrences of a term in a document, at least 1
using Generation = std::uint64_t;  // from 1; 0 is none

inline constexpr DocId kNoDoc = 0xffffffff;  // past the end of every list; never a document

}  // namespace frond
