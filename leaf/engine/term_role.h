#pragma once
// What kernels share with plans of clauses: what a document must have of a term, where a plan's terms differ in that,
// and where a phrase may be.
#include <cstdint>

namespace frond::leaf::engine {

// In the order in which lists are asked.
enum class TermRole : std::uint8_t {
  kRequired,  // of all terms in a plan of words
  kExcluded,  // documents that have the term do not match
  kOptional   // adds its score
};

// In place of a field: any.
inline constexpr std::uint32_t kAnyText = 0xffffffff;

}  // namespace frond::leaf::engine
