#include "leaf/lists/partition_list_store.h"

#include <gtest/gtest.h>

#include "tests/support/collections/manual_clock.h"

namespace frond::leaf::lists {
namespace {

TEST(PartitionListStore, NamesAPartitionThatItDoesNotHave) {
  support::ManualClock clock;
  PartitionListStore store(clock);
  store.remove(41);  // never there: nothing happens
  const ListKey key{41, "fox"};
  const auto leases = store.fetch(std::span(&key, 1), Deadline::never());
  ASSERT_EQ(leases, Code::kNotFound);
  EXPECT_NE(leases.error().message().find("41"), std::string::npos);
}

}  // namespace
}  // namespace frond::leaf::lists
