#pragma once
// What a document must have of a term, where a plan's terms differ in that. In the order in which lists are asked.
#include <cstdint>

namespace frond::leaf::engine {

enum class TermRole : std::uint8_t {
  kRequired,  // of all terms in a plan of words
  kExcluded,  // documents that have the term do not match
  kOptional   // adds its score
};

}  // namespace frond::leaf::engine
