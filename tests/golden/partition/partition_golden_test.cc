// Partitions that were ever published must stay readable. Files hold hex; the documents are those below. "plain" was
// written on 2026-11-24, before there were term digests, "digests" is the same with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "common/partition/file_checksum.h"
#include "common/partition/published_partition.h"
#include "common/partition/terms/term_digests.h"
#include "indexer/change/removed_terms.h"
#include "tests/support/golden.h"
#include "tests/support/scratch_folder.h"

namespace frond::partition {
namespace {

struct Golden {
  const char* name;
  bool digests;
  friend void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }
};

class AGoldenPartition : public testing::TestWithParam<Golden> {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder());
    for (const char* stem : {"arrays-0001", "arrays-heads0001", "documents-0001", "ids-0001", "terms-0001"}) {
      const auto bytes =
          support::read_hex(std::string("tests/golden/partition/") + GetParam().name + "/" + stem + ".hex");
      ASSERT_FALSE(bytes.empty()) << stem;
      const auto file = folder() / (std::string(stem) + ".sst");
      support::write_file(file, as_text(bytes));
      files_.push_back(describe_file(file).value());
    }
  }
  std::filesystem::path folder() const { return scratch_ / "files"; }
  support::ScratchFolder scratch_;
  std::vector<PartitionFile> files_;
};

TEST_P(AGoldenPartition, IsIngestedAndHasItsDocuments) {
  ASSERT_TRUE(Partition::ingest(folder(), files_, scratch_ / "database", false));
  const auto partition = Partition::open(scratch_ / "database").value();
  EXPECT_TRUE(partition->count_entries());
  EXPECT_EQ(std::vector<std::uint32_t>(partition->lengths().begin(), partition->lengths().end()),
            (std::vector<std::uint32_t>{6, 2, 0}));
  EXPECT_EQ(partition->document(0)->body, "the fox and the dog");
  EXPECT_EQ(partition->docid_of("d2"), 1u);
  EXPECT_EQ(partition->term("dog")->document_frequency, 2u);
  std::vector<std::uint64_t> digests;
  if (GetParam().digests) {
    const auto of = [](const char* term) { return hash_of_term(term); };
    digests = {2 * of("fox") + 2 * of("the") + of("and") + of("dog"), 2 * of("dog"), 0};
  }
  EXPECT_EQ(partition->term_digests().value(), digests);
}

TEST_P(AGoldenPartition, TellsWhatIsRemoved) {
  const auto published = PublishedPartition::open(folder(), files_).value();
  text::AnalyzerConfig analyzer;
  analyzer.stemmer = text::Stemmer::kNone;
  analyzer.stop_words = false;
  analyzer.kind = text::AnalyzerKind::kStandard2;
  indexer::change::RemovedTerms removed(analyzer);
  const std::vector<DocId> docids = {0, 1, 2};
  const auto counts = removed.add(*published, docids);
  ASSERT_TRUE(counts) << counts.error().message();
  EXPECT_EQ(counts->tokens, 8u);
  EXPECT_EQ(counts->postings, 5u);
  using Pairs = std::vector<std::pair<std::string_view, std::uint64_t>>;
  EXPECT_EQ(removed.documents().in_order(), (Pairs{{"and", 1}, {"dog", 2}, {"fox", 1}, {"the", 1}}));
}

INSTANTIATE_TEST_SUITE_P(Formats, AGoldenPartition, testing::Values(Golden{"plain", false}, Golden{"digests", true}));

}  // namespace
}  // namespace frond::partition
