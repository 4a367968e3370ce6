#include "common/partition/ranged/ranged_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/ranges.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::partition {
namespace {

class IdsElsewhere : public testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override {
    summary_ = support::write_partition(documents_, folder_ / "files").value();
    for (DocId docid = 0; docid < documents_.size(); ++docid) sorted_.emplace_back(documents_[docid].id, docid);
    std::sort(sorted_.begin(), sorted_.end());
  }
  // What is found of these ids, in byte order.
  Result<std::vector<std::optional<DocId>>> find(const std::vector<std::string>& ids) {
    const std::vector<std::string_view> views(ids.begin(), ids.end());
    return find_ids_by_ranges("elsewhere", summary_, ranges_.reader(), views);
  }
  static std::vector<support::TestDocument> documents() {
    auto documents = support::random_documents(GetParam(), 7);
    for (std::size_t i = 0; i < documents.size() / 300; ++i)  // also the first one
      documents[i].id =
          std::string(i % 2 == 0 ? "a" : "doc-5") + std::string(1000 + 64'000 / (i + 1), 'x') + std::to_string(i);
    return documents;
  }
  support::ScratchFolder folder_;
  support::Ranges ranges_{folder_ / "files"};
  const std::vector<support::TestDocument> documents_ = documents();
  PartitionSummary summary_;
  std::vector<std::pair<std::string, DocId>> sorted_;
};

TEST_P(IdsElsewhere, AreFoundAndOthersAreNot) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{37}, std::size_t{5000}}) {
    SCOPED_TRACE(step);
    std::vector<std::string> ids{"", "a"};
    std::vector<std::optional<DocId>> should(2);
    for (std::size_t i = step / 2 % sorted_.size(); i < sorted_.size(); i += step) {
      ids.push_back(sorted_[i].first);
      should.push_back(sorted_[i].second);
      ids.push_back(sorted_[i].first + "!");  // before the next one
      should.push_back(std::nullopt);
    }
    ids.push_back("z");
    should.push_back(std::nullopt);
    EXPECT_EQ(find(ids), should);
  }
  EXPECT_EQ(find({}), std::vector<std::optional<DocId>>());
}

TEST_P(IdsElsewhere, AreCorruptOrUnavailableWhereTheirBlockIs) {
  ranges_.failing = true;
  EXPECT_EQ(find({sorted_[0].first}), Code::kUnavailable);
  ranges_.failing = false;
  for (const auto& file : summary_.files)
    if (file.name.starts_with("ids-")) support::flip_byte(folder_ / "files" / file.name, 20);
  const auto damaged = find({sorted_[0].first});
  ASSERT_EQ(damaged, Code::kCorrupt);
  EXPECT_TRUE(damaged.error().message().starts_with("elsewhere: ")) << damaged.error().message();
}

INSTANTIATE_TEST_SUITE_P(Sizes, IdsElsewhere, testing::Values(1u, 900u, 20'000u));

}  // namespace
}  // namespace frond::partition
