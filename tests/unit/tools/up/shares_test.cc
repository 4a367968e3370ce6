#include "tools/up/shares.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>

namespace frond::tools::up {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

TEST(TheSharesOfPrograms, AreTogetherWhatOneProgramPlansFor) {
  for (const std::uint64_t memory : {kGiB, 2 * kGiB, 8 * kGiB, 64 * kGiB, 1024 * kGiB}) {
    for (const unsigned cores : {1u, 2u, 3u, 4u, 16u, 128u}) {
      const Shares shares = shares_of({.cores = cores, .memory = memory, .contained = true});
      EXPECT_LE(shares.memory(), memory) << memory << " bytes";
      std::uint64_t threads = 0;
      for (const auto* all : {&shares.leaf, &shares.broker})
        for (const Share& share : *all)
          if (share.flag == "--cpu-threads" || share.flag == "--threads") threads += share.value;
      EXPECT_LE(threads, cores + 1) << cores << " cores";
      EXPECT_GE(threads, 2u);
    }
  }
}

TEST(TheSharesOfPrograms, GiveWayToTheEnvironment) {
  const std::vector<Share> shares{{"--host-cache", 7, true}, {"--cpu-threads", 2}};
  EXPECT_EQ(arguments_of(shares), (std::vector<std::string>{"--host-cache", "7", "--cpu-threads", "2"}));
  ::setenv("FROND_HOST_CACHE", "1GiB", 1);
  EXPECT_EQ(arguments_of(shares), (std::vector<std::string>{"--cpu-threads", "2"}));
  ::unsetenv("FROND_HOST_CACHE");
}

}  // namespace
}  // namespace frond::tools::up
