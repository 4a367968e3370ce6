// What partition.h promises for truncated files: truncated before they are opened, or while they are read.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "common/partition/partition.h"
#include "common/partition/terms/term_statistics.h"
#include "common/postings/posting_list.h"
#include "tests/support/long_partition.h"
#include "tests/support/scratch_folder.h"

namespace frond::partition {
namespace {

namespace fs = std::filesystem;
constexpr DocId kDocuments = support::kLongPartitionDocuments;

// Written once; each test has a database of its own.
class FailingFiles : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    written_ = new support::ScratchFolder;
    lists_ = new std::map<std::string, std::vector<DocId>>(support::long_lists());
    summary_ = new PartitionSummary(support::write_long_partition(*lists_, *written_ / "files"));
  }
  static void TearDownTestSuite() {
    delete summary_;
    delete lists_;
    delete written_;
  }
  fs::path ingest(const std::string& name) const {
    // Copies the files, because the tests truncate them.
    fs::copy(*written_ / "files", scratch_ / (name + "-files"), fs::copy_options::recursive);
    const auto done = Partition::ingest(scratch_ / (name + "-files"), summary_->files, scratch_ / name, /*move=*/true);
    EXPECT_TRUE(done) << done.error().message();
    return scratch_ / name;
  }
  static std::vector<fs::path> tables_of(const fs::path& database) {
    std::vector<fs::path> tables;
    for (const auto& entry : fs::directory_iterator(database))
      if (entry.path().extension() == ".sst") tables.push_back(entry.path());
    EXPECT_EQ(tables.size(), summary_->files.size());
    return tables;
  }
  // The file with the long lists.
  static fs::path lists_of(const fs::path& database) {
    for (const auto& file : summary_->files)
      for (const auto& table : tables_of(database))
        if (file.name.starts_with("postings") && fs::file_size(table) == file.bytes) return table;
    ADD_FAILURE() << "no table of lists";
    return {};
  }
  static std::string text_of(const TermList& list) {
    std::string text;
    for (const auto& segment : list.segments) text += as_text(segment.bytes());
    return text;
  }

  static support::ScratchFolder* written_;
  static std::map<std::string, std::vector<DocId>>* lists_;
  static PartitionSummary* summary_;
  support::ScratchFolder scratch_;
};
support::ScratchFolder* FailingFiles::written_;
std::map<std::string, std::vector<DocId>>* FailingFiles::lists_;
PartitionSummary* FailingFiles::summary_;

// As that of a writer does which another one takes over from.
TEST_F(FailingFiles, EndAnIngestWhoseFolderGoesMeanwhile) {
  const fs::path database = scratch_ / "going";
  std::jthread removes([&](const std::stop_token& stop) {
    for (std::error_code ignored; !stop.stop_requested();) fs::remove_all(database, ignored);
  });
  int failed = 0;
  for (int i = 0; i < 2000 && failed < 10; ++i)
    failed += Partition::ingest(*written_ / "files", summary_->files, database, /*move=*/false) ? 0 : 1;
  EXPECT_GT(failed, 0);
}

TEST_F(FailingFiles, FileReadsAreTheSameCopiedOrMapped) {
  const auto database = ingest("database");
  const auto copied = Partition::open(database).value(), mapped = Partition::open(database, FileReads::kMapped).value();
  std::size_t in_place = 0;
  for (const auto& [term, docids] : *lists_) {
    const auto copy = copied->list(term), first = mapped->list(term), second = mapped->list(term);
    ASSERT_TRUE(copy && first && second) << term;
    EXPECT_EQ(text_of(*copy), text_of(*first)) << term;
    EXPECT_EQ(copy->statistics.document_frequency, docids.size());
    EXPECT_NE(copy->segments[0].bytes().data(), first->segments[0].bytes().data());
    in_place += first->segments[0].bytes().data() == second->segments[0].bytes().data();
  }
  EXPECT_EQ(in_place, 3u);
  for (const char* absent : {"", "in-a-", "in-a-2t", "in-a-2tha", "in-a-3", "in-a-5th", "zzz"})
    EXPECT_EQ(mapped->list(absent).error().code(), Code::kNotFound) << absent;
}

TEST_F(FailingFiles, MappedListsThatAreCutOffReadAsZerosAndThePartitionSaysSo) {
  const auto database = ingest("database");
  const auto partition = Partition::open(database, FileReads::kMapped).value();
  const auto list = partition->list("in-a-2th").value();
  EXPECT_TRUE(partition->intact());
  EXPECT_TRUE(partition->check_files());
  const auto file = lists_of(database);
  fs::resize_file(file, 100);
  std::size_t zeros = 0;
  for (const std::byte byte : list.segments[0].bytes()) zeros += byte == std::byte{0};
  EXPECT_EQ(zeros, list.segments[0].bytes().size());
  const auto intact = partition->intact();
  ASSERT_EQ(intact, Code::kCorrupt);
  EXPECT_NE(intact.error().message().find("cut short"), std::string::npos) << intact.error().message();
  EXPECT_NE(intact.error().message().find(file.filename().string()), std::string::npos);
  const auto again = partition->list("in-a-3th");
  EXPECT_FALSE(again);
  EXPECT_NE(again.error().message().find("'in-a-3th"), std::string::npos) << again.error().message();
  const auto document = partition->document(7);  // its own file is intact
  ASSERT_EQ(document, Code::kCorrupt) << "it is no partition any more";
  EXPECT_NE(document.error().message().find(file.filename().string()), std::string::npos) << document.error().message();
}

TEST_F(FailingFiles, AreNoticedByTheirSizeBeforeAnybodyReadsThem) {
  const auto database = ingest("database");
  const auto partition = Partition::open(database, FileReads::kMapped).value();
  const auto file = lists_of(database);
  fs::resize_file(file, fs::file_size(file) - 1);
  EXPECT_TRUE(partition->intact());
  EXPECT_EQ(partition->check_files(), Code::kCorrupt);
  EXPECT_EQ(partition->intact(), Code::kCorrupt);
}

// Whichever file is truncated, and wherever: each call returns the same as before, or an error.
TEST_F(FailingFiles, GiveWhatTheyGaveOrAnError) {
  for (const FileReads lists : {FileReads::kCopied, FileReads::kMapped}) {
    for (std::size_t t = 0; t < summary_->files.size(); ++t) {
      for (const unsigned share : {0u, 1u, 50u, 99u}) {
        const std::string name = "database-" + std::to_string(static_cast<int>(lists)) + "-" + std::to_string(t) + "-" +
                                 std::to_string(share);
        const auto database = ingest(name);
        const auto partition = Partition::open(database, lists).value();
        const auto file = tables_of(database)[t];
        fs::resize_file(file, fs::file_size(file) * share / 100);
        std::size_t errors = 0;
        for (const auto& [term, docids] : *lists_) {
          const auto list = partition->list(term);
          errors += !list;
          if (list && partition->intact()) {
            std::vector<ByteView> segments;
            for (const auto& segment : list->segments) segments.push_back(segment.bytes());
            const auto opened = postings::PostingList::open(segments);
            if (!partition->intact()) continue;
            ASSERT_TRUE(opened) << name << " " << term << ": " << opened.error().message();
            EXPECT_EQ(opened->count(), docids.size()) << name << " " << term;
          }
        }
        for (DocId docid = 0; docid < kDocuments; docid += 97) {
          const auto document = partition->document(docid);
          errors += !document;
          if (document) {
            EXPECT_EQ(document->id, "d" + std::to_string(docid)) << name;
          }
          partition->read_heads({&docid, 1}, [&](std::size_t, const Result<StoredDocument>& head) {
            errors += !head;
            if (head) {
              EXPECT_EQ(head->title, "title of d" + std::to_string(docid)) << name;
            }
            return true;
          });
          const auto found = partition->docid_of("d" + std::to_string(docid));
          errors += !found;
          if (found) {
            EXPECT_EQ(*found, docid) << name;
          }
        }
        errors += !partition->verify_checksums();
        EXPECT_GT(errors, 0u) << name;
        EXPECT_FALSE(partition->check_files()) << name;
        fs::remove_all(database);
      }
    }
  }
}

TEST_F(FailingFiles, AreRefusedWhenTheyAreOpened) {
  for (std::size_t t = 0; t < summary_->files.size(); ++t) {
    for (const std::int64_t left : {0, 1, 60, 5000, -1}) {
      const auto database = ingest("database-" + std::to_string(t) + "-" + std::to_string(left));
      const auto file = tables_of(database)[t];
      const auto bytes = static_cast<std::int64_t>(fs::file_size(file));
      fs::resize_file(file, static_cast<std::uintmax_t>(left < 0 ? bytes + left : std::min(left, bytes - 1)));
      const auto opened = Partition::open(database, FileReads::kMapped);
      EXPECT_FALSE(opened) << file << " of " << left << " bytes";
      fs::remove_all(database);
    }
  }
}

// A leaf fetches a partition again while queries still use the damaged one.
TEST_F(FailingFiles, LeaveThePartitionAloneThatTakesTheirPlace) {
  const auto database = ingest("database");
  auto old = Partition::open(database, FileReads::kMapped).value();
  fs::resize_file(lists_of(database), 100);
  EXPECT_FALSE(old->check_files());
  fs::remove_all(database);
  fs::copy(*written_ / "files", scratch_ / "again", fs::copy_options::recursive);
  ASSERT_TRUE(Partition::ingest(scratch_ / "again", summary_->files, database, /*move=*/true));
  const auto fresh = Partition::open(database, FileReads::kMapped).value();
  EXPECT_TRUE(fresh->check_files());
  old.reset();
  EXPECT_TRUE(fresh->verify_checksums());
  EXPECT_EQ(fresh->list("in-a-2th")->statistics.document_frequency, lists_->at("in-a-2th").size());
  EXPECT_TRUE(Partition::open(database)) << "closing the old one took files away";
}

TEST_F(FailingFiles, OfTermStatisticsAreErrorsOfLookUps) {
  const std::vector partitions{Partition::open(ingest("database")).value()};
  const auto file = scratch_ / "1.terms.sst";
  ASSERT_TRUE(write_term_statistics(partitions, file));
  const auto terms = GenerationTerms::open(file).value();
  ASSERT_EQ(terms->df("in-a-2th"), lists_->at("in-a-2th").size());
  fs::resize_file(file, 1000);
  EXPECT_EQ(terms->df("in-a-2th"), lists_->at("in-a-2th").size()) << "it was looked up before";
  EXPECT_FALSE(terms->df("own-4999"));
  EXPECT_EQ(terms->intact(), Code::kCorrupt);
  EXPECT_FALSE(GenerationTerms::open(file));
}

}  // namespace
}  // namespace frond::partition
