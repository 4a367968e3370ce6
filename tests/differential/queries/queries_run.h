#pragma once
// Random queries over random collections, one collection after the other.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "tests/differential/queries/compared_collection.h"

namespace frond::queries_test {

inline std::uint32_t from_environment(const char* name, std::uint32_t usual) {
  const char* const text = std::getenv(name);
  return text == nullptr ? usual : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

// About as many queries as FROND_QUERIES says, from the collection of FROND_SEED on. Stops at the first answer that is
// not what looks at each document say.
inline void compare_queries(std::uint32_t usual, const ComparedCollection::MakeEngine& make_engine,
                            const OneLeaf::MakeDevice& make_device = {}) {
  const std::uint32_t queries = from_environment("FROND_QUERIES", usual), first = from_environment("FROND_SEED", 1);
  // Builds take longer than queries.
  const std::uint32_t of_a_stage = queries > usual ? 600 : 100;
  constexpr std::uint32_t kStages = 3;
  std::uint32_t seed = first, asked = 0, refused = 0;
  std::uint64_t matches = 0;
  for (; asked < queries; ++seed) {
    SCOPED_TRACE("FROND_SEED=" + std::to_string(seed));
    ComparedCollection collection(seed, make_engine, make_device);
    collection.build();
    for (std::uint32_t stage = 0; stage < kStages && !testing::Test::HasFailure(); ++stage) {
      if (stage != 0) collection.change();
      collection.compare(of_a_stage);
    }
    if (testing::Test::HasFailure()) return;
    asked += collection.asked();
    refused += collection.refused();
    matches += collection.matches();
    if (queries > usual && seed % 10 == 0) std::cout << "seed " << seed << ", " << asked << " queries" << std::endl;
  }
  std::cout << asked << " queries of seeds " << first << " to " << seed - 1 << ", " << matches << " matches, "
            << refused << " refused by all, 0 differ" << std::endl;
  EXPECT_LT(refused, asked / 4);
  EXPECT_GT(matches, 0u);
}

}  // namespace frond::queries_test
