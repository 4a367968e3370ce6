#include "common/partition/terms/term_statistics.h"

#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/partition/terms/term_files.h"
#include "common/text/limits.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::partition {
namespace {

constexpr std::uint32_t kStatisticsSeed = 42;

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
    const auto documents = support::random_documents(200, kStatisticsSeed + p, "p" + std::to_string(p));
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

// Short and long terms, bytes 0xff; with any number of threads.
TEST_F(TermStatisticsOfAGeneration, AreTheSameFromFilesByManyThreads) {
  std::vector<support::TestDocument> documents;
  std::mt19937 random(kStatisticsSeed);
  const std::vector<std::string> firsts{"a", "a\xff", "\xff", "\xff\xff", "ab", "b", "\x01", "1"};
  for (int d = 0; d < 300; ++d) {
    support::TestDocument document{"d" + std::to_string(d), {}};
    for (int t = 0; t < 30; ++t) {
      std::string term = firsts[random() % firsts.size()];
      if (random() % 4 != 0) term += std::to_string(random() % 3000);
      document.terms[term] = 1 + random() % 3;
    }
    documents.push_back(document);
  }
  std::vector<partition::PartitionSummary> summaries;
  std::vector<std::shared_ptr<const Partition>> partitions;
  std::vector<std::filesystem::path> folders;
  for (int p = 0; p < 4; ++p) {
    folders.push_back(scratch_ / ("files-of-" + std::to_string(p)));
    const std::vector<support::TestDocument> some(documents.begin() + p * 75, documents.begin() + (p + 1) * 75);
    summaries.push_back(
        support::write_partition(p == 2 ? std::vector<support::TestDocument>{} : some, folders.back()).value());
    const auto database = scratch_ / ("database-of-" + std::to_string(p));
    ASSERT_TRUE(Partition::ingest(folders.back(), summaries.back().files, database, false).has_value());
    partitions.push_back(Partition::open(database).value());
  }
  const auto expected = write_term_statistics(partitions, scratch_ / "one.sst").value();
  const auto terms_of = [&](const std::string& name) {
    std::vector<std::pair<std::string, std::uint64_t>> terms;
    const auto opened = GenerationTerms::open(scratch_ / name).value();
    EXPECT_EQ(opened->totals(), expected);
    EXPECT_TRUE(opened
                    ->for_each([&](std::string_view term, std::uint64_t df) {
                      terms.emplace_back(term, df);
                      return true;
                    })
                    .has_value());
    return terms;
  };
  const auto from_files = [&] {
    TermCursors cursors;
    for (int p = 0; p < 4; ++p) cursors.push_back(terms_of_files(folders[p], summaries[p].files));
    return cursors;
  };
  for (const std::uint32_t threads : {0u, 1u, 2u, 7u}) {
    ASSERT_EQ(write_term_statistics(from_files(), scratch_ / "many.sst", threads), expected) << threads;
    ASSERT_EQ(terms_of("many.sst"), terms_of("one.sst")) << threads;
  }
  EXPECT_EQ(write_term_statistics(from_files(), scratch_ / "nowhere" / "t.sst", 3), Code::kUnavailable);
  support::write_file(folders[1] / "terms-0001.sst", "damaged");
  EXPECT_EQ(write_term_statistics(from_files(), scratch_ / "many.sst", 3), Code::kCorrupt);
  EXPECT_EQ(write_term_statistics(TermCursors(), scratch_ / "many.sst", 3), TermTotals{});
}

TEST_F(TermStatisticsOfAGeneration, AreUnavailableWhereTheyCanNotBeWritten) {
  const std::vector partitions{partition_of(support::random_documents(10, kStatisticsSeed))};
  EXPECT_EQ(write_term_statistics(partitions, scratch_ / "nowhere" / "t.sst"), Code::kUnavailable);
}

TEST_F(TermStatisticsOfAGeneration, KnowNoOtherTerm) {
  const std::vector partitions{partition_of(support::random_documents(10, kStatisticsSeed))};
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
  const auto summary =
      support::write_partition(support::random_documents(10, kStatisticsSeed), scratch_ / "files").value();
  for (const auto& file : summary.files)
    EXPECT_EQ(GenerationTerms::open(scratch_ / "files" / file.name).error().code(), Code::kCorrupt) << file.name;
}

}  // namespace
}  // namespace frond::partition
