// What a broker counts as a broken promise.
#include "broker/http/monitoring/promises.h"

#include <gtest/gtest.h>

#include <vector>

namespace frond::broker::http {
namespace {

merge::Page page_without(const std::vector<std::uint32_t>& partitions) {
  merge::Page page;
  page.partitions_total = 4;
  for (const std::uint32_t one : partitions) page.unsearched.push_back({one, wire::UnsearchedReason::kDeadline});
  return page;
}

TEST(Promises, OfCoverage) {
  EXPECT_TRUE(is_honest(page_without({})));
  EXPECT_TRUE(is_honest(page_without({0, 1, 3})));
  EXPECT_FALSE(is_honest(page_without({1, 1})));
  EXPECT_FALSE(is_honest(page_without({2, 1})));
  EXPECT_FALSE(is_honest(page_without({4})));
}

TEST(Promises, AreCountedOnceEach) {
  const Promises promises;
  promises.expect(Promises::kCached, true);
  promises.expect(Promises::kHonest, false);
  EXPECT_EQ(promises.broken(Promises::kCached), 0u);
  EXPECT_EQ(promises.broken(Promises::kHonest), 1u);
}

}  // namespace
}  // namespace frond::broker::http
