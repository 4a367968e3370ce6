// The set of ids seen so far.
#include "indexer/pipeline/ids.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace frond::indexer::pipeline {
namespace {

TEST(IdSet, KnowsEveryIdThatItWasGiven) {
  std::mt19937 random(3);
  for (const std::uint64_t doubled : {0, 1 << 20, 1 << 30}) {
    IdSet ids;
    ids.double_below(doubled);
    std::set<std::string> expected;
    for (int i = 0; i < 200'000; ++i) {
      const std::string id = std::to_string(random() % 100'000);
      ids.fetch(parse::hash_id(std::to_string(i)));
      EXPECT_EQ(ids.insert(parse::hash_id(id)), expected.insert(id).second) << id;
    }
    EXPECT_EQ(ids.size(), expected.size());
    EXPECT_LE(ids.bytes(), ids.size() * (doubled > ids.bytes() ? 40 : 26));
  }
}

TEST(IdSet, TakesTheHashThatMarksAFreeSlot) {
  IdSet ids;
  EXPECT_TRUE(ids.insert({}));
  EXPECT_FALSE(ids.insert({}));
}

TEST(IdSet, DoesNotGrowAtOnce) {
  std::mt19937_64 random(3);
  for (const std::uint64_t doubled : {0, 3 << 20, 1 << 30}) {
    IdSet ids;
    ids.double_below(doubled);
    while (ids.size() < 50'000) ids.insert({random(), random()});
    while (ids.size() < 500'000) {
      const std::uint64_t bytes = ids.bytes(), size = ids.size();
      while (ids.size() < size + size / 64) ids.insert({random(), random()});
      EXPECT_LT(ids.bytes(), bytes + bytes / (bytes < doubled ? 8 : 16)) << size << ", doubled below " << doubled;
    }
  }
}

}  // namespace
}  // namespace frond::indexer::pipeline
