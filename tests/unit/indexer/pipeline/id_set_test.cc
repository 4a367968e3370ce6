// The set of ids seen so far.
#include "indexer/pipeline/id_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace frond::indexer::pipeline {
namespace {

TEST(IdSet, KnowsEveryIdThatItWasGiven) {
  std::mt19937 random(3);
  IdSet ids;
  std::set<std::string> expected;
  for (int i = 0; i < 200'000; ++i) {
    const std::string id = std::to_string(random() % 100'000);
    EXPECT_EQ(ids.insert(parse::hash_id(id)), expected.insert(id).second) << id;
  }
  EXPECT_EQ(ids.size(), expected.size());
  EXPECT_LE(ids.bytes(), ids.size() * 64);
}

TEST(IdSet, TakesTheHashThatMarksAFreeSlot) {
  IdSet ids;
  EXPECT_TRUE(ids.insert({}));
  EXPECT_FALSE(ids.insert({}));
}

TEST(IdSet, DoesNotGrowAtOnce) {
  std::mt19937_64 random(3);
  IdSet ids;
  while (ids.size() < 50'000) ids.insert({random(), random()});
  while (ids.size() < 500'000) {
    const std::uint64_t bytes = ids.bytes(), size = ids.size();
    while (ids.size() < size + size / 64) ids.insert({random(), random()});
    EXPECT_LT(ids.bytes(), bytes + bytes / 16) << size;
  }
}

}  // namespace
}  // namespace frond::indexer::pipeline
