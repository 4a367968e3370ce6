#include "common/partition/published_partition.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <random>

#include "common/partition/ranged_file_system.h"
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

// Gives ranges of the local files.
class Ranges {
 public:
  explicit Ranges(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ReadRange reader() {
    return [this](const PartitionFile& file, std::uint64_t from, std::size_t bytes) -> Result<ByteBuffer> {
      ++requests;
      const unsigned now = ++running;
      for (unsigned most = most_running; most < now && !most_running.compare_exchange_weak(most, now);) {
      }
      const struct Leaving {
        std::atomic<unsigned>& count;
        ~Leaving() { --count; }
      } leaving{running};
      if (failing) return Error(Code::kUnavailable, "the store is away");
      ByteBuffer got(bytes);
      std::ifstream in(folder_ / file.name, std::ios::binary);
      in.seekg(static_cast<std::streamoff>(from));
      in.read(reinterpret_cast<char*>(got.data()), static_cast<std::streamsize>(bytes));
      got.resize(static_cast<std::size_t>(in.gcount()));
      total += got.size();
      return got;
    };
  }
  std::atomic<std::uint64_t> requests = 0, total = 0;
  std::atomic<unsigned> running = 0, most_running = 0;
  bool failing = false;

 private:
  const std::filesystem::path folder_;
};

TEST_P(APublishedPartition, IsTheSameByRanges) {
  Ranges ranges(folder_ / "files");
  const auto ranged = PublishedPartition::open("elsewhere", summary_.files, ranges.reader()).value();
  ASSERT_EQ(ranged->documents(), ingested_->documents());
  const DocId last = ranged->documents() - 1;
  for (const DocId docid : {DocId{0}, last / 2, last}) {
    EXPECT_EQ(ranged->length(docid), ingested_->lengths()[docid]);
    EXPECT_EQ(ranged->term_digest(docid).value(), published_->term_digest(docid).value());
    EXPECT_EQ(ranged->document(docid)->body, documents_[docid].body);
  }
  EXPECT_EQ(bytes_of(ranged->list("t0").value()), bytes_of(published_->list("t0").value()));
  EXPECT_EQ(ranged->list("nowhere").error().code(), Code::kNotFound);
  EXPECT_TRUE(ranged->check_files());
}

TEST_P(APublishedPartition, ReadsLittleByRanges) {
  Ranges ranges(folder_ / "files");
  const auto ranged = PublishedPartition::open("elsewhere", summary_.files, ranges.reader()).value();
  const std::uint64_t opened = ranges.requests;
  EXPECT_EQ(ranged->document(0)->id, documents_[0].id);
  const std::uint64_t first = ranges.requests;
  EXPECT_LE(first, opened + 8);
  EXPECT_EQ(ranged->document(ranged->documents() - 1)->id, documents_.back().id);
  EXPECT_LE(ranges.requests, first + 2);
}

TEST_P(APublishedPartition, SaysThatRangesOfManyDocumentsFailOrAreDamaged) {
  const std::vector<DocId> docids{0, ingested_->documents() - 1};
  const auto read_from = [&docids](const PublishedPartition& partition) {
    Result<void> outcome;
    partition.read_documents(docids, [&](std::size_t, const Result<StoredDocument>& document) {
      if (!document) outcome = document.error();
      return document.has_value();
    });
    return outcome;
  };
  Ranges ranges(folder_ / "files");
  const auto ranged = PublishedPartition::open("elsewhere", summary_.files, ranges.reader()).value();
  ranges.failing = true;
  EXPECT_EQ(read_from(*ranged), Code::kUnavailable);
  ranges.failing = false;
  EXPECT_TRUE(read_from(*ranged));
  support::flip_byte(file_of("documents-"), 30);  // in the first block
  const auto anew = PublishedPartition::open("elsewhere", summary_.files, ranges.reader()).value();
  EXPECT_EQ(read_from(*anew), Code::kCorrupt);
}

TEST_P(APublishedPartition, SaysThatRangesFailOrAreDamaged) {
  Ranges ranges(folder_ / "files");
  const auto ranged = PublishedPartition::open("elsewhere", summary_.files, ranges.reader()).value();
  ranges.failing = true;
  EXPECT_EQ(ranged->document(0).error().code(), Code::kUnavailable);
  EXPECT_EQ(ranged->list("t0").error().code(), Code::kUnavailable);
  ranges.failing = false;
  EXPECT_TRUE(ranged->document(0));
  support::flip_byte(file_of("documents-"), 30);  // in the first block
  const auto anew = PublishedPartition::open("elsewhere", summary_.files, ranges.reader()).value();
  EXPECT_EQ(anew->document(0).error().code(), Code::kCorrupt);
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
  for (const DocId step : {1, 30, 150}) {
    SCOPED_TRACE(step);
    Ranges ranges(folder / "files");
    const auto ranged = PublishedPartition::open("elsewhere", summary.files, ranges.reader()).value();
    EXPECT_TRUE(ranged->document(0));  // opens the file
    std::vector<DocId> docids;
    for (DocId docid = 0; docid < ranged->documents(); docid += step) docids.push_back(docid);
    const std::uint64_t requests = ranges.requests, total = ranges.total;
    std::size_t next = 0;
    ranged->read_documents(docids, [&](std::size_t place, const Result<StoredDocument>& document) {
      EXPECT_EQ(place, next++);
      EXPECT_EQ(document->body, documents[docids[place]].body);
      return true;
    });
    EXPECT_EQ(next, docids.size());
    // Documents far from each other take their block; those near to each other take few requests.
    EXPECT_LE(ranges.requests - requests, step == 150 ? docids.size() : 3 + stored / kMostTogether);
    EXPECT_LE(ranges.total - total, step == 150 ? docids.size() * (6 << 10) : stored);
    EXPECT_LE(ranges.most_running, kRequestsAtOnce);
    std::size_t seen = 0;
    ranged->read_documents(docids, [&](std::size_t, const Result<StoredDocument>&) { return ++seen < 2; });
    EXPECT_EQ(seen, 2u);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, APublishedPartition, testing::Values(1u, 900u, 6000u));

}  // namespace
}  // namespace frond::partition
