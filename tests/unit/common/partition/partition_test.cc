#include "common/partition/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <thread>

#include "common/partition/documents/document_reader.h"
#include "common/partition/file_checksum.h"
#include "common/partition/files/database.h"
#include "common/partition/format/format.h"
#include "common/partition/terms/term_files.h"
#include "common/postings/posting_list.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::partition {
namespace {

constexpr std::uint32_t kSeed = 20260101;

// Written, ingested and opened once for all tests of the suite.
class APartition : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new support::ScratchFolder;
    documents_ = new std::vector<support::TestDocument>(support::random_documents(3000, kSeed));
    summary_ = new PartitionSummary(support::write_partition(*documents_, files()).value());
    ASSERT_TRUE(Partition::ingest(files(), summary_->files, database(), false).has_value());
    partition_ = new std::shared_ptr<const Partition>(Partition::open(database()).value());
  }
  static void TearDownTestSuite() {
    delete partition_;
    delete summary_;
    delete documents_;
    delete scratch_;
  }
  static std::filesystem::path files() { return *scratch_ / "files"; }
  static std::filesystem::path database() { return *scratch_ / "database"; }
  static const Partition& partition() { return **partition_; }

  static support::ScratchFolder* scratch_;
  static std::vector<support::TestDocument>* documents_;
  static PartitionSummary* summary_;
  static std::shared_ptr<const Partition>* partition_;
};
support::ScratchFolder* APartition::scratch_;
std::vector<support::TestDocument>* APartition::documents_;
PartitionSummary* APartition::summary_;
std::shared_ptr<const Partition>* APartition::partition_;

std::map<std::string, TermStatistics> statistics_of(const std::vector<support::TestDocument>& documents) {
  std::map<std::string, TermStatistics> all;
  for (const auto& document : documents) {
    for (const auto& [term, frequency] : document.terms) {
      ++all[term].document_frequency;
      all[term].occurrences += frequency;
    }
  }
  return all;
}

TEST_F(APartition, CountsWhatWasWritten) {
  EXPECT_EQ(partition().documents(), documents_->size());
  EXPECT_EQ(partition().tokens(), summary_->tokens);
  EXPECT_EQ(partition().built_average_length(), summary_->built_average_length);
  EXPECT_EQ(partition().summary().postings, summary_->postings);
  EXPECT_EQ(partition().summary().docid_bytes, summary_->docid_bytes);
  EXPECT_TRUE(partition().count_entries().has_value());
  EXPECT_TRUE(partition().verify_checksums().has_value());
}

TEST_F(APartition, HoldsEveryLengthDense) {
  for (DocId docid = 0; docid < documents_->size(); ++docid)
    ASSERT_EQ(partition().lengths()[docid], (*documents_)[docid].length) << docid;
}

TEST_F(APartition, KnowsEveryTermInByteOrder) {
  const auto expected = statistics_of(*documents_);
  auto at = expected.begin();
  const auto visited = partition().for_each_term([&](std::string_view term, const TermStatistics& statistics) {
    EXPECT_NE(at, expected.end());
    EXPECT_EQ(term, at->first);
    EXPECT_EQ(statistics.document_frequency, at->second.document_frequency) << term;
    EXPECT_EQ(statistics.occurrences, at->second.occurrences) << term;
    ++at;
    return true;
  });
  EXPECT_TRUE(visited.has_value());
  EXPECT_EQ(at, expected.end());
  EXPECT_EQ(summary_->terms, expected.size());
}

TEST_F(APartition, StopsVisitingWhenTold) {
  int visits = 0;
  EXPECT_TRUE(partition().for_each_term([&](auto, const auto&) { return ++visits < 3; }).has_value());
  EXPECT_EQ(visits, 3);
  visits = 0;
  EXPECT_TRUE(partition().for_each_document([&](auto, const auto&) { return ++visits < 5; }).has_value());
  EXPECT_EQ(visits, 5);
}

TEST_F(APartition, GivesEverySegmentOfAList) {
  for (const std::string& term :
       {std::string("t0"), std::string("t1"), std::string("t11"), "own" + (*documents_)[17].id}) {
    const auto list = partition().list(term);
    ASSERT_TRUE(list.has_value()) << list.error().message();
    EXPECT_EQ(list->statistics.segments, list->segments.size());
    for (const PinnedBytes& segment : list->segments)
      EXPECT_TRUE(postings::ListView::open(segment.bytes()).has_value());
  }
}

TEST_F(APartition, SaysTheSameWhereItIsReadBufferedAndMapsNothing) {
  const auto other = *scratch_ / "buffered";
  ASSERT_TRUE(Partition::ingest(files(), summary_->files, other, false).has_value());
  const auto buffered = Partition::open(other, FileReads::kBuffered).value();
  std::ostringstream maps;
  maps << std::ifstream("/proc/self/maps").rdbuf();
  EXPECT_EQ(maps.str().find(std::filesystem::canonical(other).string()), std::string::npos);
  EXPECT_EQ(buffered->documents(), partition().documents());
  EXPECT_EQ(buffered->tokens(), partition().tokens());
  EXPECT_TRUE(buffered->verify_checksums().has_value());
  EXPECT_EQ(buffered->count_entries(), partition().count_entries().value());
  for (const auto& [term, statistics] : statistics_of(*documents_)) {
    const auto list = buffered->list(term).value();
    EXPECT_EQ(list.statistics.document_frequency, statistics.document_frequency) << term;
    const auto mapped = partition().list(term).value();
    ASSERT_EQ(list.segments.size(), mapped.segments.size());
    for (std::size_t i = 0; i < list.segments.size(); ++i)
      EXPECT_EQ(as_text(list.segments[i].bytes()), as_text(mapped.segments[i].bytes())) << term;
  }
  for (DocId docid = 0; docid < documents_->size(); docid += 7)
    EXPECT_EQ(buffered->document(docid).value().body, (*documents_)[docid].body);
}

TEST_F(APartition, HasItsTermsInItsFilesToo) {
  const auto from_files = terms_of_files(files(), summary_->files);
  const auto from_database = partition().terms();
  std::size_t terms = 0;
  while (from_database->next().value()) {
    ASSERT_TRUE(from_files->next().value());
    ++terms;
    EXPECT_EQ(from_files->term(), from_database->term());
    EXPECT_EQ(from_files->statistics().document_frequency, from_database->statistics().document_frequency);
    EXPECT_EQ(from_files->statistics().occurrences, from_database->statistics().occurrences);
  }
  EXPECT_FALSE(from_files->next().value());
  EXPECT_EQ(terms, summary_->terms);
  EXPECT_EQ(terms_of_files(files() / "none", summary_->files)->next(), Code::kNotFound);
}

TEST_F(APartition, KeepsReadableSlackAfterEveryListAndOutlivesItsOwner) {
  std::vector<PinnedBytes> pinned;
  std::vector<std::string> copies;
  {
    auto own = Partition::open(database()).value();
    for (const auto& [term, statistics] : statistics_of(*documents_)) {
      auto list = own->list(term).value();
      for (auto& segment : list.segments) {
        copies.emplace_back(as_text(segment.bytes()));
        pinned.push_back(std::move(segment));
      }
    }
  }
  unsigned sum = 0;
  for (std::size_t i = 0; i < pinned.size(); ++i) {
    EXPECT_EQ(as_text(pinned[i].bytes()), copies[i]);
    const std::byte* const end = pinned[i].bytes().data() + pinned[i].bytes().size();
    for (std::size_t at = 0; at < codec::kReadSlack; ++at) sum += std::to_integer<unsigned>(end[at]);
  }
  EXPECT_GE(sum, 0u);
}

TEST_F(APartition, ReturnsEveryDocumentAsItWas) {
  DocId next = 0;
  const auto visited = partition().for_each_document([&](DocId docid, const StoredDocument& document) {
    EXPECT_EQ(docid, next++);
    EXPECT_EQ(document.body, (*documents_)[docid].body);
    return true;
  });
  EXPECT_TRUE(visited.has_value()) << visited.error().message();
  for (DocId docid = 0; docid < documents_->size(); docid += 7) {
    const auto document = partition().document(docid).value();
    const auto& expected = (*documents_)[docid];
    EXPECT_EQ(std::tie(document.id, document.url, document.title, document.body),
              std::tie(expected.id, expected.url, expected.title, expected.body));
    EXPECT_EQ(partition().docid_of(expected.id), docid);
  }
}

TEST_F(APartition, ReadsDocumentsInAnyOrderAndToldTwice) {
  std::mt19937 random(kSeed);
  std::vector<DocId> docids;
  docids.reserve(505);
  for (int i = 0; i < 500; ++i) docids.push_back(random() % (partition().documents() + 20));  // some do not exist
  docids.insert(docids.end(), {0, 0, partition().documents() - 1, partition().documents(), 0});
  for (const bool ascending : {false, true}) {
    if (ascending) std::sort(docids.begin(), docids.end());
    std::size_t next = 0;
    partition().read_documents(docids, [&](std::size_t place, const Result<StoredDocument>& document) {
      EXPECT_EQ(place, next++);
      if (docids[place] >= partition().documents()) {
        EXPECT_EQ(document, Code::kNotFound);
        return true;
      }
      const auto& expected = (*documents_)[docids[place]];
      EXPECT_TRUE(document.has_value());
      EXPECT_EQ(std::tie(document->id, document->url, document->title, document->body),
                std::tie(expected.id, expected.url, expected.title, expected.body));
      return true;
    });
    EXPECT_EQ(next, docids.size());
  }
}

TEST_F(APartition, ReadsNoMoreDocumentsThanItIsAskedTo) {
  std::size_t told = 0;
  partition().read_documents(std::vector<DocId>{5, 6, 7}, [&](std::size_t, const auto&) { return ++told < 2; });
  EXPECT_EQ(told, 2u);
  partition().read_documents({}, [&](std::size_t, const auto&) { return ++told < 2; });
  EXPECT_EQ(told, 2u);
}

// Partitions of earlier versions have no array of their blocks' first docIDs.
TEST_F(APartition, FindsTheSameDocumentsWithoutKnowingWhereBlocksBegin) {
  const auto opened = Database::open(database(), summary_->files, FileReads::kCopied).value();
  const auto dictionary = opened->get(Family::kArrays, kDictionaryKey);
  const DocumentReader reader(opened, partition().documents(), {}, dictionary ? dictionary->bytes() : ByteView());
  std::vector<DocId> docids(partition().documents() + 1);
  std::iota(docids.begin(), docids.end(), 0);
  std::size_t told = 0;
  reader.read(docids, DocumentReader::Extent::kWhole, [&](std::size_t place, const Result<StoredDocument>& document) {
    ++told;
    if (place == partition().documents())
      EXPECT_EQ(document, Code::kNotFound);
    else
      EXPECT_EQ(document->body, (*documents_)[place].body);
    return true;
  });
  EXPECT_EQ(told, docids.size());
}

TEST_F(APartition, SaysWhatItDoesNotHave) {
  EXPECT_EQ(partition().term("nosuchterm"), Code::kNotFound);
  EXPECT_EQ(partition().list("nosuchterm").error().code(), Code::kNotFound);
  EXPECT_NE(partition().term("nosuchterm").error().message().find("'nosuchterm'"), std::string::npos);
  EXPECT_EQ(partition().document(partition().documents()).error().code(), Code::kNotFound);
  EXPECT_EQ(partition().docid_of("nosuchid"), Code::kNotFound);
}

TEST_F(APartition, IsReadByManyThreads) {
  const auto expected = statistics_of(*documents_);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (DocId docid = static_cast<DocId>(t); docid < 400; docid += 4) {
        EXPECT_EQ(partition().document(docid).value().id, (*documents_)[docid].id);
        EXPECT_EQ(partition().docid_of((*documents_)[docid].id), docid);
        EXPECT_EQ(partition().list("own" + (*documents_)[docid].id)->statistics.document_frequency, 1u);
        EXPECT_EQ(partition().list("t1")->statistics.document_frequency, expected.at("t1").document_frequency);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_F(APartition, HasItsFilesAndAListOfThemInItsFolder) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(database())) files += entry.is_regular_file();
  EXPECT_EQ(files, summary_->files.size() + 1);
  for (const auto& file : summary_->files) EXPECT_EQ(describe_file(database() / file.name).value(), file);
}

TEST_F(APartition, IsNotIngestedOverACompleteOne) {
  EXPECT_EQ(Partition::ingest(files(), summary_->files, database(), false), Code::kInvalid);
}

TEST_F(APartition, IsIngestedByLinksThatLeaveTheFilesAsTheyWere) {
  for (const auto& file : summary_->files) EXPECT_EQ(describe_file(files() / file.name).value(), file);
}

TEST(IngestingAPartition, BeginsAgainWhereAnInterruptedCallLeftOff) {
  const support::ScratchFolder scratch;
  const auto summary = support::write_partition(support::random_documents(50, kSeed), scratch / "files").value();
  std::filesystem::create_directories(scratch / "database");
  support::write_file(scratch / "database" / "CURRENT", "rubbish");
  EXPECT_FALSE(Partition::complete(scratch / "database"));
  EXPECT_EQ(Partition::open(scratch / "database").error().code(), Code::kNotFound);
  EXPECT_TRUE(Partition::ingest(scratch / "files", summary.files, scratch / "database", true).has_value());
  EXPECT_EQ((*Partition::open(scratch / "database"))->documents(), 50u);
  EXPECT_FALSE(std::filesystem::exists(scratch / "files" / summary.files[0].name)) << "move leaves nothing";
}

TEST(IngestingAPartition, RefusesFilesThatAreNotTheOnesItWasPromised) {
  const support::ScratchFolder scratch;
  const auto summary = support::write_partition(support::random_documents(50, kSeed), scratch / "files").value();
  const auto ingest = [&](std::vector<PartitionFile> files) {
    return Partition::ingest(scratch / "files", files, scratch / "database", false);
  };
  auto files = summary.files;
  files[0].bytes += 1;
  EXPECT_EQ(ingest(files), Code::kCorrupt);
  files = summary.files;
  files[0].name = "../files/" + files[0].name;
  EXPECT_EQ(ingest(files), Code::kCorrupt);
  files = summary.files;
  files[0].name = "nonsense-0001.sst";
  EXPECT_EQ(ingest(files), Code::kCorrupt);
  EXPECT_EQ(ingest({}), Code::kCorrupt);
  files = summary.files;
  files.push_back(files[1]);
  EXPECT_EQ(ingest(files), Code::kCorrupt);
  EXPECT_FALSE(Partition::complete(scratch / "database"));
}

TEST_F(APartition, IsNotOpenedWithAFileOfNoTableOrTwiceTheSameOrWithoutOne) {
  const auto refused = [&](const std::vector<PartitionFile>& list, const std::string& told) {
    const auto opened = Partition::open(files(), list);
    ASSERT_FALSE(opened) << told;
    EXPECT_EQ(opened.error().code(), Code::kCorrupt) << told;
    EXPECT_NE(opened.error().message().find(told), std::string::npos) << opened.error().message();
  };
  auto list = summary_->files;
  list.push_back({"nonsense-0001.sst", 1, ""});
  refused(list, "'nonsense-0001.sst' belongs to no table");
  list.back() = list.front();
  refused(list, "'" + list.front().name + "' is listed twice");
  list.back().name = "ids-0009.sst";
  refused(list, "ids-0009.sst");
}

// As where the disk is full; here a name is too long.
TEST(IngestingAPartition, LosesNothingIfItFailsInItsMiddle) {
  const support::ScratchFolder scratch;
  auto files = support::write_partition(support::random_documents(50, kSeed), scratch / "files").value().files;
  std::ranges::sort(files, {}, [](const auto& file) { return file.name.size(); });
  std::filesystem::path folder = scratch.path();
  const std::size_t bytes = 4095 - files.back().name.size();  // of a path: the longest name does not fit in, others do
  while (folder.native().size() + 110 < bytes) folder /= std::string(100, 'x');
  folder /= std::string(bytes - folder.native().size() - 1, 'y');
  ASSERT_EQ(Partition::ingest(scratch / "files", files, folder, /*move=*/true), Code::kUnavailable);
  EXPECT_FALSE(Partition::complete(folder));
  std::size_t moved = 0;
  for (const auto& file : files) {
    const bool there = std::filesystem::exists(scratch / "files" / file.name);
    moved += there ? 0 : 1;
    EXPECT_EQ(describe_file((there ? scratch / "files" : folder) / file.name).value(), file);
  }
  EXPECT_GT(moved, 0u);
}

// A byte flipped anywhere in any file is found by verify_checksums(), or when the partition is opened.
TEST(ADamagedPartition, IsFoundOut) {
  const support::ScratchFolder scratch;
  const auto summary = support::write_partition(support::random_documents(400, kSeed), scratch / "files").value();
  std::mt19937 random(kSeed);
  for (const auto& file : summary.files) {
    // In the first half: the properties at the file's end have some bytes that no checksum covers.
    const std::uint64_t at = random() % (file.bytes / 2);
    support::flip_byte(scratch / "files" / file.name, at);
    const auto database = scratch / ("database-" + file.name);
    const auto ingested = Partition::ingest(scratch / "files", summary.files, database, false);
    bool found = !ingested.has_value();
    if (!found) {
      const auto partition = Partition::open(database);
      found = !partition || !(*partition)->verify_checksums();
    }
    EXPECT_TRUE(found) << file.name << " at " << at << ", seed " << kSeed;
    support::flip_byte(scratch / "files" / file.name, at);
  }
}

}  // namespace
}  // namespace frond::partition
