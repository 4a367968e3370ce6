#include "indexer/write/latest_documents.h"

#include <gtest/gtest.h>

namespace frond::indexer::write {
namespace {

TEST(TheLatestOfADocument, IsItsLastChangeInWhateverOrderTheyAreNoted) {
  LatestDocuments latest([] { return Result<std::unique_ptr<PublishedDocuments>>(nullptr); },
                         [](Sequence) { return Result<std::string>(std::string()); });
  const std::vector<std::string> ids{"a"};
  latest.note("a", {true, 2, 6});
  latest.note("a", {true, 1, 5});
  EXPECT_EQ(latest.find(ids)->front().change, 6u);
  latest.published(6);
  latest.note("a", {true, 2, 6});
  EXPECT_FALSE(latest.find(ids)->front().exists);
  latest.note("a", {true, 3, 7});
  EXPECT_EQ(latest.find(ids)->front().change, 7u);
}

}  // namespace
}  // namespace frond::indexer::write
