// Threads that share work have all of it done, once.
#include "indexer/invert/gpu/text/terms/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace frond::indexer::invert::gpu {
namespace {

TEST(Crew, DoesEachPartOnce) {
  for (const std::uint32_t threads : {1u, 2u, 7u}) {
    Crew crew(threads);
    for (std::size_t count = 0; count < 300; ++count) {
      const std::uint32_t parts = crew.parts_of(count, 10);
      EXPECT_LE(parts, threads);
      std::vector<int> done(count);
      std::atomic<std::uint32_t> begun = 0;
      crew.in_parts(count, parts, [&](std::uint32_t part, std::size_t begin, std::size_t end) {
        EXPECT_LT(part, parts);
        ++begun;
        for (std::size_t i = begin; i < end; ++i) ++done[i];
      });
      EXPECT_EQ(begun, parts);
      EXPECT_EQ(done, std::vector<int>(count, 1));
    }
  }
}

TEST(Crew, MayHaveMoreParts) {
  Crew crew(3);
  std::vector<std::size_t> sums(50);
  crew.in_parts(1000, 50, [&](std::uint32_t part, std::size_t begin, std::size_t end) { sums[part] = end - begin; });
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::size_t{0}), 1000u);
}

TEST(Crew, AThreadHasAPartAtATime) {
  Crew crew(5);
  const std::uint32_t parts = crew.small_parts_of(1000, 10);
  EXPECT_GT(parts, crew.size());
  std::vector<std::atomic<int>> busy(crew.size());
  std::atomic<std::uint32_t> begun = 0;
  for (int round = 0; round < 100; ++round)
    crew.by_threads(1000, parts, [&](std::uint32_t thread, std::uint32_t, std::size_t, std::size_t) {
      ASSERT_LT(thread, crew.size());
      EXPECT_EQ(busy[thread]++, 0);
      ++begun;
      --busy[thread];
    });
  EXPECT_EQ(begun, 100 * parts);
}

TEST(Crew, ThrowsWhatAPartThrows) {
  Crew crew(4);
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> ended = 0;
    const auto some_throw = [&](std::uint32_t part, std::size_t, std::size_t) {
      if (part % 2 == 1) throw std::runtime_error("odd");
      ++ended;
    };
    EXPECT_THROW(crew.in_parts(8, 8, some_throw), std::runtime_error);
    EXPECT_LE(ended, 4);
    ended = 0;
    crew.in_parts(8, 8, [&](std::uint32_t, std::size_t, std::size_t) { ++ended; });
    EXPECT_EQ(ended, 8);
  }
}

}  // namespace
}  // namespace frond::indexer::invert::gpu
