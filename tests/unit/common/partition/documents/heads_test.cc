// What a partition returns for answers without texts: the same as its documents, without their bodies.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "common/partition/documents/document_reader.h"
#include "common/partition/documents/heads.h"
#include "common/partition/files/database.h"
#include "common/partition/format/format.h"
#include "common/partition/partition.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::partition {
namespace {

namespace fs = std::filesystem;
constexpr std::uint32_t kHeadsSeed = 20261123;
constexpr std::uint32_t kHeadsDocuments = 5000;  // a few chunks, the last one short

class Heads : public testing::Test {
 protected:
  void SetUp() override {
    documents_ = support::random_documents(kHeadsDocuments, kHeadsSeed);
    for (std::uint32_t i = 0; i < kHeadsDocuments; ++i) {
      auto& document = documents_[i];
      if (i % 7 == 0) document.url.clear();
      if (i % 11 == 0) document.title.clear();
      if (i % 3 == 0) document.title += std::string(i % 200, 't');
      if (i % 500 == 9) document.title = std::string(5000, 't');    // its head is not stored
      if (i % 500 == 10) document.url = std::string(300'000, 'u');  // longer than a chunk
      if (i % 1000 == 11) document.id = std::to_string(i) + std::string(20'000, 'i');
    }
    documents_[20].url = std::string(3 << 20, 'u');  // longer than is read for showing
  }
  PartitionSummary write() { return summary_ = support::write_partition(documents_, files()).value(); }
  fs::path files() const { return scratch_ / "files"; }
  // Ingests copies of the files, since tests damage them.
  fs::path ingest() {
    const auto name = "database-" + std::to_string(++databases_);
    fs::copy(files(), scratch_ / (name + "-files"));
    EXPECT_TRUE(Partition::ingest(scratch_ / (name + "-files"), summary_.files, scratch_ / name, /*move=*/true));
    return scratch_ / name;
  }
  // The file with the heads.
  fs::path heads_of(const fs::path& database) const {
    for (const auto& file : summary_.files)
      for (const auto& entry : fs::directory_iterator(database))
        if (file.name.starts_with(kHeadFiles) && entry.path().extension() == ".sst" && entry.file_size() == file.bytes)
          return entry.path();
    ADD_FAILURE() << "no file of heads";
    return {};
  }
  static std::vector<DocId> random_docids(std::mt19937& random, std::size_t count) {
    std::vector<DocId> docids(count);
    for (DocId& docid : docids) docid = random() % (kHeadsDocuments + 20);  // some do not exist
    if (random() % 2) std::sort(docids.begin(), docids.end());
    return docids;
  }
  static std::vector<DocId> all_docids() {
    std::vector<DocId> docids(kHeadsDocuments);
    std::iota(docids.begin(), docids.end(), 0);
    return docids;
  }
  static std::string text_of(const Result<StoredDocument>& document) {
    if (!document) return "error: " + document.error().message();
    std::string text;
    for (const auto field : {document->id, document->url, document->title}) text.append(field).push_back('\n');
    return text;
  }
  // By read_heads(), or with `documents` by read_documents() without the bodies.
  static std::vector<std::string> read(const Partition& partition, const std::vector<DocId>& docids,
                                       bool documents = false) {
    std::vector<std::string> found;
    const auto take = [&](std::size_t place, const Result<StoredDocument>& document) {
      EXPECT_EQ(place, found.size());
      if (document && !documents) {
        EXPECT_EQ(document->body, "");
      }
      found.push_back(text_of(document));
      return true;
    };
    documents ? partition.read_documents(docids, take) : partition.read_heads(docids, take);
    EXPECT_EQ(found.size(), docids.size());
    return found;
  }

  support::ScratchFolder scratch_;
  std::vector<support::TestDocument> documents_;
  PartitionSummary summary_;
  int databases_ = 0;
};

TEST_F(Heads, AreThoseOfTheDocuments) {
  write();
  const auto database = ingest();
  for (const FileReads reads : {FileReads::kMapped, FileReads::kCopied, FileReads::kBuffered}) {
    const auto partition = Partition::open(database, reads).value();
    EXPECT_TRUE(partition->check_heads());
    EXPECT_TRUE(partition->count_entries());
    EXPECT_EQ(read(*partition, all_docids()), read(*partition, all_docids(), /*documents=*/true));
    std::mt19937 random(kHeadsSeed);
    for (int round = 0; round < 100; ++round) {
      const auto docids = random_docids(random, random() % 60);
      ASSERT_EQ(read(*partition, docids), read(*partition, docids, /*documents=*/true)) << "seed " << kHeadsSeed;
    }
  }
}

TEST_F(Heads, AreReadWithoutTheirDocuments) {
  write();
  const auto database = ingest();
  const auto expected = read(*Partition::open(database).value(), all_docids());
  for (const auto& file : summary_.files)
    for (const auto& entry : fs::directory_iterator(database))
      if (file.name.starts_with("documents") && entry.path().extension() == ".sst" && entry.file_size() == file.bytes)
        for (std::uint64_t at = 0; at < file.bytes / 2; at += 1000) support::flip_byte(entry.path(), at);
  const auto partition = Partition::open(database, FileReads::kMapped).value();
  const auto found = read(*partition, all_docids());
  std::size_t same = 0;
  for (DocId docid = 0; docid < kHeadsDocuments; ++docid) {
    const bool stored = docid % 500 != 9 && docid % 500 != 10 && docid % 1000 != 11 && docid != 20;
    if (stored) {
      EXPECT_EQ(found[docid], expected[docid]) << docid;
    }
    same += found[docid] == expected[docid];
  }
  EXPECT_LT(same, kHeadsDocuments) << "the documents are damaged";
  EXPECT_FALSE(partition->check_heads());
}

TEST_F(Heads, OfFewDocumentsAreOneShortChunk) {
  for (const std::uint32_t count : {0u, 1u, 2u, 100u}) {
    documents_ = support::random_documents(count, kHeadsSeed);
    write();
    const auto partition = Partition::open(ingest(), FileReads::kMapped).value();
    EXPECT_TRUE(partition->check_heads());
    const std::vector<DocId> docids{0, 1, 99, 100, 0};
    EXPECT_EQ(read(*partition, docids), read(*partition, docids, /*documents=*/true));
  }
}

TEST_F(Heads, AreNoMoreThanTheVisitorWants) {
  write();
  const auto partition = Partition::open(ingest(), FileReads::kMapped).value();
  for (const std::vector<DocId>& docids : {std::vector<DocId>{5, 6, 7}, std::vector<DocId>{9, 10, 11}}) {
    std::size_t visited = 0;
    partition->read_heads(docids, [&](std::size_t, const auto&) { return ++visited < 2; });
    EXPECT_EQ(visited, 2u);
  }
}

// A partition of an earlier version has none; its documents are read.
TEST_F(Heads, AreTakenFromTheDocumentsWhereThereAreNone) {
  write();
  const auto opened = Database::open(ingest(), summary_.files, FileReads::kMapped).value();
  const auto dictionary = opened->get(Family::kArrays, kDictionaryKey);
  const DocumentReader documents(opened, kHeadsDocuments, {}, dictionary ? dictionary->bytes() : ByteView());
  const HeadReader reader(opened, kHeadsDocuments, {}, documents);
  EXPECT_TRUE(reader.check());
  std::size_t next = 0;
  reader.read(std::vector<DocId>{3, 4000, kHeadsDocuments},
              [&](std::size_t place, const Result<StoredDocument>& document) {
                EXPECT_EQ(place, next++);
                if (place < 2) {
                  EXPECT_EQ(document->id, documents_[place == 0 ? 3 : 4000].id);
                }
                if (place == 2) {
                  EXPECT_EQ(document, Code::kNotFound);
                }
                return true;
              });
  EXPECT_EQ(next, 3u);
}

// Leaves of earlier versions take a file for the table that is named before its last dash, and refuse other tables.
TEST_F(Heads, AreInFilesThatEarlierVersionsAccept) {
  write();
  std::size_t files = 0;
  for (const auto& file : summary_.files) {
    files += file.name.starts_with(kHeadFiles);
    EXPECT_NE(std::find(kFamilyNames.begin(), kFamilyNames.end(), file.name.substr(0, file.name.rfind('-'))),
              kFamilyNames.end())
        << file.name;
  }
  EXPECT_EQ(files, 1u);
}

TEST_F(Heads, OfOtherDocumentsAreFoundOut) {
  write();
  const std::string name = std::find_if(summary_.files.begin(), summary_.files.end(), [](const auto& file) {
                             return file.name.starts_with(kHeadFiles);
                           })->name;
  const auto keep = scratch_ / "kept.sst";
  fs::copy(files() / name, keep);
  documents_[4321].title[0] ^= 1;
  write();
  fs::copy(keep, files() / name, fs::copy_options::overwrite_existing);
  const auto partition = Partition::open(ingest(), FileReads::kBuffered).value();
  const auto checked = partition->check_heads();
  ASSERT_EQ(checked, Code::kCorrupt);
  EXPECT_NE(checked.error().message().find("document 4321"), std::string::npos) << checked.error().message();
}

// Whatever is damaged: each head is what it was, or an error, and never a fault.
TEST_F(Heads, ThatAreDamagedAreErrors) {
  write();
  const auto expected = read(*Partition::open(ingest()).value(), all_docids());
  std::mt19937 random(kHeadsSeed);
  std::size_t errors = 0;
  for (int round = 0; round < 10; ++round) {
    const auto database = ingest();
    const auto file = heads_of(database);
    // Behind the first block: one that is damaged there is not opened.
    const std::uint64_t half = fs::file_size(file) / 2;
    for (int i = 0; i < 20; ++i) support::flip_byte(file, half + random() % (half - 10'000));
    const auto partition = Partition::open(database, FileReads::kMapped).value();
    const auto found = read(*partition, all_docids());
    for (DocId docid = 0; docid < kHeadsDocuments; ++docid) {
      if (found[docid] == expected[docid]) continue;
      ++errors;
      ASSERT_TRUE(found[docid].starts_with("error: ")) << "seed " << kHeadsSeed << ", document " << docid;
      EXPECT_NE(found[docid].find("document " + std::to_string(docid)), std::string::npos) << found[docid];
    }
    EXPECT_FALSE(partition->check_heads());
  }
  EXPECT_GT(errors, 0u);
}

TEST_F(Heads, AreNotOpenedIfTheirFirstBlockIsDamaged) {
  write();
  const auto database = ingest();
  const auto file = heads_of(database);
  support::flip_byte(file, 100);
  const auto opened = Partition::open(database, FileReads::kMapped);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Code::kCorrupt);
  EXPECT_NE(opened.error().message().find(file.filename().string()), std::string::npos) << opened.error().message();
}

// While a leaf has the file open, after it has used some chunks and not others.
TEST_F(Heads, OfAFileThatIsCutShortAreErrors) {
  write();
  const auto expected = read(*Partition::open(ingest()).value(), all_docids());
  for (const unsigned share : {0u, 3u, 50u, 97u}) {
    const auto database = ingest();
    const auto partition = Partition::open(database, FileReads::kMapped).value();
    (void)read(*partition, {0, 1000, kHeadsDocuments - 1});
    const auto file = heads_of(database);
    fs::resize_file(file, fs::file_size(file) * share / 100 + 100);  // inside a page
    std::size_t errors = 0;
    const auto found = read(*partition, all_docids());
    for (DocId docid = 0; docid < kHeadsDocuments; ++docid) {
      errors += found[docid] != expected[docid];
      if (found[docid] == expected[docid]) continue;
      ASSERT_TRUE(found[docid].starts_with("error: ")) << docid;
    }
    // The last chunk is short, so it was copied when it was used first.
    if (share <= 50) {
      EXPECT_GT(errors, 0u) << share;
    }
    EXPECT_EQ(partition->check_files(), Code::kCorrupt);
    for (const auto& one : read(*partition, all_docids())) EXPECT_TRUE(one.starts_with("error: "));
  }
}

TEST_F(Heads, AreReadByManyThreadsAtOnce) {
  write();
  const auto expected = read(*Partition::open(ingest()).value(), all_docids());
  for (int round = 0; round < 5; ++round) {
    const auto partition = Partition::open(ingest(), FileReads::kMapped).value();
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        std::mt19937 random(kHeadsSeed + t);
        for (++ready; ready < 4;) std::this_thread::yield();
        for (int i = 0; i < 50; ++i) {
          const DocId docid = random() % kHeadsDocuments;
          EXPECT_EQ(read(*partition, {docid}).front(), expected[docid]);
        }
      });
    for (auto& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace frond::partition
