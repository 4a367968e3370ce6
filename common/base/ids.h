#pragma once
// The numbers that identify documents, generations and their content.
#include <compare>
#include <cstdint>
#include <cstdio>
#include <string>

namespace frond {

using DocId = std::uint32_t;       // a document inside its partition: dense, from 0
using Ordinal = std::uint64_t;     // a document in the collection: base + docID * stride of its partition
using Frequency = std::uint32_t;   // occurrences of a term in a document, at least 1
using Generation = std::uint64_t;  // from 1; 0 is none
using ContentId = std::uint64_t;   // of a generation: the start of its manifest's checksum (manifest.md); 0: unknown

// A generation by number and content: a repository that is rebuilt from scratch uses the same numbers again.
struct GenerationId {
  Generation number = 0;
  ContentId content = 0;
  friend auto operator<=>(const GenerationId&, const GenerationId&) = default;
  // Whether this generation may answer a request for `wanted`. A request without a content id matches by number.
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

inline constexpr DocId kNoDoc = 0xffffffff;  // end of a list; never a document

}  // namespace frond
