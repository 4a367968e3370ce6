#pragma once
// Which requests cost many times the usual, judged by what they ask for. A broker evaluates only a few of them at a
// time, and a leaf runs them on threads of their own, so that they do not delay other requests.
#include <cstddef>
#include <cstdint>

#include "common/wire/messages.h"

namespace frond::wire {

// Costly is more than this.
inline constexpr std::uint32_t kCostlyDepth = 1000;   // hits of a ranking, for a broker
inline constexpr std::size_t kCostlyTerms = 64;       // distinct terms
inline constexpr std::size_t kCostlyDocuments = 100;  // documents of a fetch; for a leaf also hits of a ranking

inline bool is_costly(const SearchRequest& request) {
  return request.processor == Processor::kExhaustive || request.depth > kCostlyDocuments ||
         request.terms.size() > kCostlyTerms;
}
inline bool is_costly(const FetchRequest& request) { return request.ordinals.size() > kCostlyDocuments; }

}  // namespace frond::wire
