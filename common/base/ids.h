#pragma once
// The numbers that name things. Distinct where mixing them up would compile and be wrong.
#include <compare>
#include <cstdint>
#include <cstdio>
#include <string>

namespace frond {

using DocId = std::uint32_t;       // a document inside its partition: dense, from 0
using Ordinal = std::uint64_t;     // a document in the collection: base + docID * stride of its partition
using Frequency = std::uint32_t;   // occurrences of a term in a document, at least 1
using Generation = std::uint64_t;  // from 1; 0 is none
using ContentId = std::uint64_t;   // of a generation: begins its manifest's checksum (manifest.md); 0: not known

// Which generation: a number comes again where a repository is made anew, with other content.
struct GenerationId {
  Generation number = 0;
  ContentId content = 0;
  friend auto operator<=>(const GenerationId&, const GenerationId&) = default;
  // What a request of `wanted` may be answered from: one that does not know the content goes by the number alone.
  bool answers(const GenerationId& wanted) const {
    return number == wanted.number && (wanted.content == 0 || wanted.content == content);
  }
};

// 16 hexadecimal digits.
inline std::string to_hex(ContentId content) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016lx", static_cast<unsigned long>(content));
  return digits;
}

inline constexpr DocId kNoDoc = 0xffffffff;  // past the end of every list; never a document

}  // namespace frond
