// Documents that are read one after the other, whole: the same as each alone, with each block read once.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "common/partition/partition.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::partition {
namespace {

namespace fs = std::filesystem;
constexpr std::uint32_t kSeed = 20261128, kDocuments = 2000;
constexpr DocId kLarge = 1234;  // of 3 MiB: its block is not held

class ADocumentCursor : public testing::Test {
 protected:
  void SetUp() override {
    auto documents = support::random_documents(kDocuments, kSeed);
    documents[kLarge].body = std::string(3 << 20, 'x');
    summary_ = support::write_partition(documents, scratch_ / "files").value();
    ASSERT_TRUE(Partition::ingest(scratch_ / "files", summary_.files, scratch_ / "database", false));
    partition_ = Partition::open(scratch_ / "database", FileReads::kMapped).value();
  }
  static std::string text_of(const Result<OwnedDocument>& document) {
    if (!document) return "error: " + document.error().message();
    return document->id + "\n" + document->url + "\n" + document->title + "\n" + document->body;
  }
  // Of the stored fields, under the database's own name for the file.
  void damage() const {
    const auto file = std::ranges::find_if(summary_.files,
                                           [](const PartitionFile& one) { return one.name.starts_with("documents"); });
    for (const auto& entry : fs::directory_iterator(scratch_ / "database"))
      if (entry.path().extension() == ".sst" && entry.file_size() == file->bytes)
        std::fstream(entry.path(), std::ios::binary | std::ios::in | std::ios::out)
            << std::string(file->bytes / 2, '\0');
  }

  support::ScratchFolder scratch_;
  PartitionSummary summary_;
  std::shared_ptr<const Partition> partition_;
};

TEST_F(ADocumentCursor, GivesWhatADocumentAloneIs) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const auto cursor = partition_->document_cursor();
  for (DocId docid = 0; docid < kDocuments; ++docid)
    ASSERT_EQ(text_of(cursor->document(docid)), text_of(partition_->document(docid))) << docid;
  for (int i = 0; i < 500; ++i) {
    const DocId docid = i % 50 == 0 ? kLarge : random() % (kDocuments + 20);  // some do not exist
    ASSERT_EQ(text_of(cursor->document(docid)), text_of(partition_->document(docid))) << docid;
  }
}

TEST_F(ADocumentCursor, ReadsABlockOnceForAllItsDocuments) {
  const std::string second = text_of(partition_->document(1));
  const auto cursor = partition_->document_cursor();
  ASSERT_TRUE(cursor->document(0));
  damage();
  ASSERT_EQ(partition_->document(1), Code::kCorrupt) << "the block can't be read a second time";
  EXPECT_EQ(text_of(cursor->document(1)), second);
}

}  // namespace
}  // namespace frond::partition
