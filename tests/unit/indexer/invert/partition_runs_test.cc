// Runs by partition, where the disk fails.
#include "indexer/invert/partition_runs.h"

#include <gtest/gtest.h>

#include "tests/support/scratch_folder.h"

namespace frond::indexer::invert {
namespace {

using support::ScratchFolder;

// Many more postings of one term than are collected come after the error: they must have room (run it under ASan).
TEST(PartitionRuns, KeepAnErrorUntilTheEndOfTheTerm) {
  const ScratchFolder folder;
  PartitionRuns runs(folder.path() / "missing", "r", 2, 4096);
  for (DocumentNumber i = 0; i < 50'000; ++i) runs.add("term", i, 1);
  const auto ended = runs.end_term("term");
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Code::kUnavailable);
  EXPECT_NE(ended.error().message().find("missing"), std::string::npos) << ended.error().message();
}

}  // namespace
}  // namespace frond::indexer::invert
