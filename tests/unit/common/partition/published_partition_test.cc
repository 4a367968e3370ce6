#include "common/partition/published_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::partition {
namespace {

// More documents than a short value of lengths has, so that lengths are read where they are mapped.
class APublishedPartition : public testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override {
    summary_ = support::write_partition(documents_, folder_ / "files").value();
    ASSERT_TRUE(Partition::ingest(folder_ / "files", summary_.files, folder_ / "db", false));
    ingested_ = Partition::open(folder_ / "db").value();
    published_ = PublishedPartition::open(folder_ / "files", summary_.files).value();
  }
  static std::string bytes_of(const TermList& list) {
    std::string all;
    for (const auto& segment : list.segments) all += as_text(segment.bytes());
    return all;
  }
  // The first file whose name begins so.
  std::filesystem::path file_of(const std::string& stem) const {
    for (const auto& file : summary_.files)
      if (file.name.starts_with(stem)) return folder_.path() / "files" / file.name;
    return {};
  }
  support::ScratchFolder folder_;
  const std::vector<support::TestDocument> documents_ = support::random_documents(GetParam(), 7);
  PartitionSummary summary_;
  std::shared_ptr<const Partition> ingested_;
  std::unique_ptr<const PublishedPartition> published_;
};

TEST_P(APublishedPartition, HasTheDocumentsAndLengthsOfTheIngestedOne) {
  ASSERT_EQ(published_->documents(), ingested_->documents());
  for (DocId docid = 0; docid < ingested_->documents(); docid += 1 + docid / 7) {
    EXPECT_EQ(published_->length(docid), ingested_->lengths()[docid]);
    const auto is = published_->document(docid).value(), should = ingested_->document(docid).value();
    EXPECT_EQ(is.id, should.id);
    EXPECT_EQ(is.body, should.body);
  }
  EXPECT_EQ(published_->length(ingested_->documents()), Code::kCorrupt);
  EXPECT_EQ(published_->document(ingested_->documents()).error().code(), Code::kNotFound);
  EXPECT_TRUE(published_->check_files());
}

TEST_P(APublishedPartition, FindsIdsInAnyOrder) {
  IdFiles ids(folder_ / "files", summary_.files);
  std::vector<std::pair<std::string, DocId>> all;
  const auto note = [&](std::string_view id, DocId docid) -> Result<void> {
    all.emplace_back(id, docid);
    return {};
  };
  ASSERT_TRUE(ids.for_each(note));
  ASSERT_EQ(all.size(), documents_.size());
  using Found = std::optional<DocId>;
  const auto expect = [&](std::size_t i) {
    const auto& [id, docid] = all[i];
    EXPECT_EQ(ids.find(id + "\1").value(), Found()) << "in the gap behind " << id;
    EXPECT_EQ(ids.find(id + "\1").value(), Found()) << "again";
    EXPECT_EQ(ids.find(id + "\2").value(), Found()) << "in the same gap";
    EXPECT_EQ(ids.find(id).value(), Found(docid)) << "before";
    EXPECT_EQ(ids.find(id).value(), Found(docid)) << "again";
  };
  for (std::size_t i = 0; i < all.size(); i += 1 + i / 7) expect(i);
  for (std::size_t i = all.size(); i-- > 0; i -= std::min(i, i / 7)) expect(i);
  for (const auto& [id, docid] : all) EXPECT_EQ(ids.find(id).value(), Found(docid));
  EXPECT_EQ(ids.find("\xff").value(), Found()) << "behind all";
  EXPECT_EQ(ids.find("\xff\xff").value(), Found());
  EXPECT_EQ(ids.find(all.back().first).value(), Found(all.back().second));
  ASSERT_TRUE(ids.for_each([](std::string_view, DocId) -> Result<void> { return {}; }));
  EXPECT_EQ(ids.find(all.front().first).value(), Found(all.front().second)) << "though it stood at the end";
}

TEST_P(APublishedPartition, HasTheTermDigestsOfTheIngestedOneAndOfItsLists) {
  const auto digests = ingested_->term_digests().value();
  ASSERT_EQ(digests.size(), documents_.size());
  for (DocId docid = 0; docid < digests.size(); docid += 1 + docid / 7) {
    std::uint64_t sum = 0;
    for (const auto& [term, frequency] : documents_[docid].terms) sum += frequency * hash_of_term(term);
    EXPECT_EQ(published_->term_digest(docid).value(), sum);
    EXPECT_EQ(digests[docid], sum);
  }
  EXPECT_FALSE(published_->term_digest(ingested_->documents()).value());
}

TEST_P(APublishedPartition, OfBeforeThereWereTermDigestsHasNone) {
  const auto summary = support::write_partition(documents_, folder_ / "old", 0.4, /*digests=*/false).value();
  ASSERT_TRUE(Partition::ingest(folder_ / "old", summary.files, folder_ / "old-db", false));
  EXPECT_EQ(Partition::open(folder_ / "old-db").value()->term_digests(), std::vector<std::uint64_t>());
  EXPECT_FALSE(PublishedPartition::open(folder_ / "old", summary.files).value()->term_digest(0).value());
}

TEST_P(APublishedPartition, ReadsDocumentsInARow) {
  std::vector<DocId> docids;
  for (DocId docid = 0; docid < ingested_->documents(); docid += 1 + docid % 3) docids.push_back(docid);
  docids.push_back(ingested_->documents());
  std::size_t next = 0;
  published_->read_documents(docids, [&](std::size_t place, const Result<StoredDocument>& document) {
    EXPECT_EQ(place, next++);
    if (place + 1 == docids.size())
      EXPECT_EQ(document.error().code(), Code::kNotFound);
    else
      EXPECT_EQ(document->body, documents_[docids[place]].body);
    return true;
  });
  EXPECT_EQ(next, docids.size());
}

TEST_P(APublishedPartition, HasTheListsOfTheIngestedOne) {
  std::uint64_t terms = 0;
  const auto cursor = published_->terms();
  while (cursor->next().value()) {
    if (terms++ % 5 == 0 || cursor->term().starts_with("t")) {
      const auto is = published_->list(cursor->term()).value();
      ASSERT_EQ(bytes_of(is), bytes_of(ingested_->list(cursor->term()).value())) << cursor->term();
      for (const auto& segment : is.segments) EXPECT_TRUE(segment.intact());
    }
  }
  EXPECT_EQ(terms, ingested_->count_entries()->terms);
  EXPECT_EQ(published_->list("nowhere").error().code(), Code::kNotFound);
}

TEST_P(APublishedPartition, NamesAFileThatWasCutShort) {
  const auto file = file_of("documents-");
  ASSERT_TRUE(published_->document(0));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_FALSE(published_->check_files());
  const auto anew = PublishedPartition::open(folder_ / "files", summary_.files).value();
  const auto document = anew->document(0);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code(), Code::kCorrupt);
  EXPECT_NE(document.error().message().find(file.filename().string()), std::string::npos) << document.error().message();
}

INSTANTIATE_TEST_SUITE_P(Sizes, APublishedPartition, testing::Values(1u, 900u, 6000u));

}  // namespace
}  // namespace frond::partition
