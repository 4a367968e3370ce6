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

TEST(TheLatestOfADocument, HasNoNumbersThatAreNeverGiven) {
  const auto carried = [](const std::string& version, const std::string& number) {
    return carried_source(R"({"_version":)" + version + R"(,"_seq_no":)" + number + R"(,"_source":{}})");
  };
  const auto most = carried(std::to_string(kMaxVersion), std::to_string(kMaxSequence - 1));
  EXPECT_EQ(most.version, kMaxVersion);
  EXPECT_EQ(most.change, kMaxSequence);
  for (const char* const beyond : {"9223372036854775808", "18446744073709551615"}) {
    const auto none = carried(beyond, beyond);
    EXPECT_FALSE(none.version || none.change) << beyond;
    EXPECT_EQ(none.source, "{}");
  }
}

}  // namespace
}  // namespace frond::indexer::write
