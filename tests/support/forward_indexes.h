#pragma once
// Forward indexes for tests of bisection.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "indexer/order/forward_index.h"

namespace frond::support {

// Documents of random topics. Each has terms of its topic and terms that all topics share.
inline indexer::order::ForwardIndex topical_documents(std::uint32_t seed, std::uint32_t documents,
                                                      std::uint32_t topics) {
  std::mt19937 random(seed);
  indexer::order::ForwardIndex index;
  index.terms = 40 * topics + 60;
  for (std::uint32_t d = 0; d < documents; ++d) {
    std::vector<std::uint32_t> terms;
    const std::uint32_t topic = random() % topics;
    for (std::uint32_t i = random() % 30; i > 0; --i) terms.push_back(60 + 40 * topic + random() % 40);
    for (std::uint32_t i = random() % 10; i > 0; --i) terms.push_back(random() % 60);
    std::sort(terms.begin(), terms.end());
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
    index.term_numbers.insert(index.term_numbers.end(), terms.begin(), terms.end());
    index.begins.push_back(index.term_numbers.size());
  }
  return index;
}

}  // namespace frond::support
