// What is published is read back once: files that are not as they were written are found.
#include "indexer/publish/publication.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::indexer::publish {
namespace {

constexpr std::uint32_t kSeed = 20261126, kPartitions = 3;

class CountingDocuments : public testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override {
    for (std::uint32_t p = 0; p < kPartitions; ++p) {
      repository::PartitionEntry entry;
      entry.id = "p" + std::to_string(p);
      const auto documents = support::random_documents(200, kSeed + p);
      entry.summary = support::write_partition(documents, scratch_ / entry.id).value();
      partitions_.push_back(std::move(entry));
    }
  }
  Result<void> count() const { return count_documents(partitions_, scratch_.path(), GetParam()); }

  support::ScratchFolder scratch_;
  std::vector<repository::PartitionEntry> partitions_;
};

TEST_P(CountingDocuments, AcceptsWhatWasWrittenAndLeavesNothingBehind) {
  const auto counted = count();
  EXPECT_TRUE(counted) << counted.error().message();
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.path())) found += entry.is_directory();
  EXPECT_EQ(found, kPartitions);
}

TEST_P(CountingDocuments, FindsAnyByteThatChangedSinceItWasWritten) {
  for (const auto& partition : partitions_)
    for (const auto& file : partition.summary.files)
      // Also at a file's end, of which no checksum of a block tells.
      for (const std::uint64_t at : {std::uint64_t{0}, file.bytes / 2, file.bytes - 1}) {
        const auto path = scratch_ / partition.id / file.name;
        support::flip_byte(path, at);
        const auto counted = count();
        ASSERT_EQ(counted, Code::kCorrupt) << path << " at " << at;
        EXPECT_NE(counted.error().message().find(path.string()), std::string::npos);
        support::flip_byte(path, at);
      }
  EXPECT_TRUE(count());
}

TEST_P(CountingDocuments, FindsAFileThatIsCutShortOrGone) {
  const auto path = scratch_ / partitions_[1].id / partitions_[1].summary.files[0].name;
  const std::string whole = support::read_file(path);
  support::write_file(path, whole.substr(0, whole.size() - 1));
  EXPECT_EQ(count(), Code::kCorrupt);
  support::write_file(path, "");
  EXPECT_EQ(count(), Code::kCorrupt);
  std::filesystem::remove(path);
  EXPECT_EQ(count(), Code::kCorrupt);
  support::write_file(path, whole);
  EXPECT_TRUE(count());
}

TEST_P(CountingDocuments, FindsAPartitionWithOtherDocumentsThanItsSummaryHas) {
  partitions_[2].summary.tokens += 1;
  EXPECT_EQ(count(), Code::kCorrupt);
}

INSTANTIATE_TEST_SUITE_P(Threads, CountingDocuments, testing::Values(1, 2, 16));

}  // namespace
}  // namespace frond::indexer::publish
