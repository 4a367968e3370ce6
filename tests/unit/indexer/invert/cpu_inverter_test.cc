// What the CPU inverter promises beyond the seam. tests/contract/inverter tests the rest.
#include "indexer/invert/cpu_inverter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace frond::indexer::invert {
namespace {

TEST(CpuInverter, NamesRunsByLabelFlushAndPartition) {
  const support::ScratchFolder folder;
  HashInverter inverter(folder.path(), "cpu7", 2, [] { return std::uint64_t{1} << 30; });
  for (const DocumentNumber number : {3, 4}) {
    parse::TokenGrouper grouper;
    parse::TokenGroups groups;
    grouper.begin_document(0);
    grouper.add("word");
    grouper.finish(groups);
    ASSERT_TRUE(inverter.invert(groups, groups.groups, std::vector<DocumentNumber>{number}));
    const auto runs = inverter.flush();
    ASSERT_TRUE(runs);
    ASSERT_EQ(runs->size(), 1u);
    const std::string name = number == 3 ? "cpu7-0-p1.run" : "cpu7-1-p0.run";
    EXPECT_EQ(runs->front().path, folder.path() / name);
  }
}

TEST(CpuInverter, HoldsNoMoreThanItsMinimumWhenItIsEmpty) {
  const HashInverter inverter("/nonexistent", "cpu0", 1, [] { return std::uint64_t{0}; });
  EXPECT_LE(inverter.memory_bytes(), kMinInverterBytes);
}

}  // namespace
}  // namespace frond::indexer::invert
