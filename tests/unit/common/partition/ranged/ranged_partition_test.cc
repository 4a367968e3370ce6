#include "common/partition/ranged/ranged_partition.h"

#include <gtest/gtest.h>

#include <random>

#include "common/partition/partition.h"
#include "tests/support/ranges.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::partition {
namespace {

class ARangedPartition : public testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override {
    summary_ = support::write_partition(documents_, folder_ / "files").value();
    ASSERT_TRUE(Partition::ingest(folder_ / "files", summary_.files, folder_ / "db", false));
    ingested_ = Partition::open(folder_ / "db").value();
  }
  std::unique_ptr<RangedPartition> open() { return RangedPartition::open("elsewhere", summary_, ranges_.reader()); }
  static Result<bool> read(RangedPartition& partition, const std::vector<DocId>& docids) {
    return partition.read(docids, [](DocId, const RangedPartition::Document&) { return Result<void>(); });
  }
  void flip(const std::string& stem, std::uint64_t offset) const {
    for (const auto& file : summary_.files)
      if (file.name.starts_with(stem)) support::flip_byte(folder_.path() / "files" / file.name, offset);
  }
  DocId last() const { return static_cast<DocId>(documents_.size() - 1); }
  support::ScratchFolder folder_;
  support::Ranges ranges_{folder_ / "files"};
  const std::vector<support::TestDocument> documents_ = support::random_documents(GetParam(), 7);
  PartitionSummary summary_;
  std::shared_ptr<const Partition> ingested_;
};

TEST_P(ARangedPartition, HasTheDocumentsLengthsAndDigestsOfTheIngestedOne) {
  const auto digests = ingested_->term_digests().value();
  for (const DocId step : {1u, 2u, 17u, 1000u, 100'000u}) {
    SCOPED_TRACE(step);
    std::vector<DocId> docids;
    for (DocId docid = step / 2 % (last() + 1); docid <= last(); docid += step) docids.push_back(docid);
    if (step > 1 && docids.back() != last()) docids.push_back(last());
    std::size_t next = 0;
    const auto visit = [&](DocId docid, const RangedPartition::Document& document) -> Result<void> {
      EXPECT_EQ(docid, docids[next++]);
      EXPECT_EQ(document.fields.id, documents_[docid].id);
      EXPECT_EQ(document.fields.body, documents_[docid].body);
      EXPECT_EQ(document.length, ingested_->lengths()[docid]);
      EXPECT_EQ(document.term_digest, digests[docid]);
      return {};
    };
    EXPECT_EQ(open()->read(docids, visit), true);
    EXPECT_EQ(next, docids.size());
  }
}

TEST_P(ARangedPartition, OfBeforeThereWereTermDigestsVisitsNothing) {
  const auto summary = support::write_partition(documents_, folder_ / "old", 0.4, /*digests=*/false).value();
  support::Ranges ranges(folder_ / "old");
  const auto visit = [](DocId, const RangedPartition::Document&) -> Result<void> {
    return Error(Code::kInvalid, "it was visited");
  };
  EXPECT_EQ(RangedPartition::open("old", summary, ranges.reader())->read(std::vector<DocId>{0}, visit), false);
}

TEST_P(ARangedPartition, WaitsForFewAnswersForAFewDocuments) {
  EXPECT_EQ(read(*open(), {}), true);
  EXPECT_EQ(ranges_.requests, 0u);
  EXPECT_EQ(read(*open(), {last() / 2}), true);
  // The ends of two files, the index of each, the dictionary, a length, a digest, a block; of an array also its head.
  EXPECT_LE(ranges_.requests, 10u);
  ranges_.requests = 0;
  EXPECT_EQ(read(*open(), {0, last()}), true);
  EXPECT_LE(ranges_.requests, 14u);
}

TEST_P(ARangedPartition, ReadsFewBytesOfItsArraysForAFewDocuments) {
  std::uint64_t arrays = 0;
  for (const auto& file : summary_.files) arrays += file.name.starts_with("arrays-0") ? file.bytes : 0;
  if (arrays < 200'000) return;  // they are read whole
  EXPECT_EQ(read(*open(), {0, last()}), true);
  EXPECT_LE(ranges_.total, 120'000u) << "with dictionary and index";
}

TEST_P(ARangedPartition, StopsWhereAVisitFails) {
  std::size_t seen = 0;
  const auto visit = [&](DocId, const RangedPartition::Document&) -> Result<void> {
    ++seen;
    return Error(Code::kInvalid, "enough");
  };
  EXPECT_EQ(open()->read(std::vector<DocId>{0, last()}, visit), Code::kInvalid);
  EXPECT_EQ(seen, 1u);
}

TEST_P(ARangedPartition, SaysThatRangesFailOrAreDamaged) {
  EXPECT_EQ(read(*open(), {last() + 1}), Code::kNotFound);
  const auto partition = open();
  ranges_.failing = true;
  EXPECT_EQ(read(*partition, {0, last()}), Code::kUnavailable);
  ranges_.failing = false;
  EXPECT_EQ(read(*partition, {0, last()}), true);
  flip("documents-", 30);  // in the first block
  const auto damaged = read(*open(), {0, last()});
  ASSERT_EQ(damaged, Code::kCorrupt);
  EXPECT_TRUE(damaged.error().message().starts_with("elsewhere: ")) << damaged.error().message();
}

TEST_P(ARangedPartition, SurvivesDamageAnywhere) {
  std::mt19937 random(3);
  for (const char* stem : {"documents-", "arrays-0"}) {
    for (const auto& file : summary_.files) {
      if (!file.name.starts_with(stem)) continue;
      for (int i = 0; i < 150; ++i) {
        // Half of them near the end, where the index and the footer are.
        const std::uint64_t most = i % 2 == 0 ? file.bytes : std::min<std::uint64_t>(file.bytes, 2000);
        const std::uint64_t at = file.bytes - 1 - random() % most;
        support::flip_byte(folder_.path() / "files" / file.name, at);
        const auto visit = [&](DocId docid, const RangedPartition::Document& document) -> Result<void> {
          EXPECT_EQ(document.fields.body, documents_[docid].body) << file.name << " at " << at;
          return {};
        };
        const auto outcome = open()->read(std::vector<DocId>{0, last() / 3, last()}, visit);
        EXPECT_TRUE(outcome || outcome.error().code() == Code::kCorrupt) << outcome.error().message();
        support::flip_byte(folder_.path() / "files" / file.name, at);
      }
    }
  }
  EXPECT_EQ(read(*open(), {0, last()}), true);
}

TEST(ManyDocuments, AreReadTogetherByRanges) {
  const support::ScratchFolder folder;
  auto documents = support::random_documents(3000, 7);
  std::mt19937_64 random(8);
  for (auto& document : documents) {
    document.body.clear();
    for (int i = 0; i < 125; ++i) document.body += std::to_string(random() % 100'000'000);
  }
  const auto summary = support::write_partition(documents, folder / "files").value();
  std::uint64_t stored = 0;
  for (const auto& file : summary.files) stored += file.name.starts_with("documents-") ? file.bytes : 0;
  ASSERT_GT(stored, std::uint64_t{1} << 20);
  constexpr std::uint64_t kOther = 150 << 10;  // arrays, the dictionary, and the index
  for (const DocId step : {1, 30, 150}) {
    SCOPED_TRACE(step);
    support::Ranges ranges(folder / "files");
    std::vector<DocId> docids;
    for (DocId docid = 0; docid < documents.size(); docid += step) docids.push_back(docid);
    std::size_t next = 0;
    const auto visit = [&](DocId docid, const RangedPartition::Document& document) -> Result<void> {
      EXPECT_EQ(docid, docids[next++]);
      EXPECT_EQ(document.fields.body, documents[docid].body);
      return {};
    };
    EXPECT_EQ(RangedPartition::open("elsewhere", summary, ranges.reader())->read(docids, visit), true);
    EXPECT_EQ(next, docids.size());
    // Documents far from each other take two blocks; those near to each other take few requests.
    EXPECT_LE(ranges.requests, 10 + (step == 150 ? docids.size() : 9 + stored / kMostTogether));
    EXPECT_LE(ranges.total, kOther + (step == 150 ? docids.size() * (12 << 10) : stored));
    EXPECT_LE(ranges.most_running, kRequestsAtOnce);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ARangedPartition, testing::Values(1u, 900u, 20'000u));

}  // namespace
}  // namespace frond::partition
