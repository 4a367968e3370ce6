#include "common/partition/term_statistics.h"

#include <gtest/gtest.h>

#include "common/text/term_limits.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::partition {
namespace {

constexpr std::uint32_t kSeed = 42;

class TermStatisticsOfAGeneration : public testing::Test {
 protected:
  std::shared_ptr<const Partition> partition_of(const std::vector<support::TestDocument>& documents) {
    const std::string name = std::to_string(++made_);
    const auto summary = support::write_partition(documents, scratch_ / ("files" + name)).value();
    EXPECT_TRUE(Partition::ingest(scratch_ / ("files" + name), summary.files, scratch_ / name, true).has_value());
    return Partition::open(scratch_ / name).value();
  }
  support::ScratchFolder scratch_;
  int made_ = 0;
};

TEST_F(TermStatisticsOfAGeneration, AreTheSumsOverItsPartitions) {
  std::map<std::string, std::uint64_t> expected;
  std::vector<std::shared_ptr<const Partition>> partitions;
  std::uint64_t tokens = 0;
  for (std::uint32_t p = 0; p < 3; ++p) {
    const auto documents = support::random_documents(200, kSeed + p, "p" + std::to_string(p));
    for (const auto& document : documents)
      for (const auto& [term, frequency] : document.terms) ++expected[term];
    partitions.push_back(partition_of(documents));
    tokens += partitions.back()->tokens();
  }
  partitions.push_back(partition_of({}));
  const auto totals = write_term_statistics(partitions, scratch_ / "1.terms.sst").value();
  const auto terms = GenerationTerms::open(scratch_ / "1.terms.sst").value();
  EXPECT_EQ(terms->totals(), totals);
  EXPECT_EQ(totals.terms, expected.size());
  EXPECT_EQ(totals.occurrences, tokens);
  for (const auto& [term, df] : expected) ASSERT_EQ(terms->df(term), df) << term;
  auto at = expected.begin();
  EXPECT_TRUE(terms
                  ->for_each([&](std::string_view term, std::uint64_t df) {
                    EXPECT_EQ(term, at->first);
                    EXPECT_EQ(df, at->second);
                    ++at;
                    return true;
                  })
                  .has_value());
  EXPECT_EQ(at, expected.end());
  EXPECT_TRUE(terms->verify_checksums().has_value());
}

TEST_F(TermStatisticsOfAGeneration, AreUnavailableWhereTheyCanNotBeWritten) {
  const std::vector partitions{partition_of(support::random_documents(10, kSeed))};
  EXPECT_EQ(write_term_statistics(partitions, scratch_ / "nowhere" / "t.sst"), Code::kUnavailable);
}

TEST_F(TermStatisticsOfAGeneration, KnowNoOtherTerm) {
  const std::vector partitions{partition_of(support::random_documents(10, kSeed))};
  ASSERT_TRUE(write_term_statistics(partitions, scratch_ / "t.sst").has_value());
  const auto terms = GenerationTerms::open(scratch_ / "t.sst").value();
  for (const std::string& term : {std::string("t"), std::string(), std::string("zzz"),
                                  std::string(text::kMaxTermBytes + 1, '\xff'), std::string(5000, 'x')})
    EXPECT_EQ(terms->df(term), Code::kNotFound) << term.size();
}

TEST_F(TermStatisticsOfAGeneration, MayBeEmpty) {
  ASSERT_TRUE(write_term_statistics(TermCursors{}, scratch_ / "t.sst").has_value());
  const auto terms = GenerationTerms::open(scratch_ / "t.sst").value();
  EXPECT_EQ(terms->totals(), TermTotals{});
  EXPECT_EQ(terms->df("a"), Code::kNotFound);
}

TEST_F(TermStatisticsOfAGeneration, AreNotReadFromOtherFiles) {
  EXPECT_EQ(GenerationTerms::open(scratch_ / "none.sst").error().code(), Code::kNotFound);
  support::write_file(scratch_ / "rubbish.sst", std::string(5000, 'r'));
  EXPECT_EQ(GenerationTerms::open(scratch_ / "rubbish.sst").error().code(), Code::kCorrupt);
  const auto summary = support::write_partition(support::random_documents(10, kSeed), scratch_ / "files").value();
  for (const auto& file : summary.files)
    EXPECT_EQ(GenerationTerms::open(scratch_ / "files" / file.name).error().code(), Code::kCorrupt) << file.name;
}

}  // namespace
}  // namespace frond::partition
