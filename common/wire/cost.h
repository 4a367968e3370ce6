#pragma once
// Which requests cost many times what most do, told by what they ask for. Brokers evaluate a few of them at a time, and
// leaves have threads of their own for them: so what anybody may ask is never paid by everybody else.
#include <cstddef>
#include <cstdint>

#include "common/wire/messages.h"

namespace frond::wire {

inline constexpr std::uint32_t kCostlyDepth = 1000;   // hits looked for: more
inline constexpr std::size_t kCostlyTerms = 64;       // distinct ones: more
inline constexpr std::size_t kCostlyDocuments = 100;  // fetched: more

inline bool is_costly(const SearchRequest& request) {
  return request.processor == Processor::kExhaustive || request.depth > kCostlyDepth ||
         request.terms.size() > kCostlyTerms;
}
inline bool is_costly(const FetchRequest& request) { return request.ordinals.size() > kCostlyDocuments; }

}  // namespace frond::wire
