#include "leaf/generation/served_generation.h"

#include <gtest/gtest.h>

#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::leaf::generation {
namespace {

using partition::ChangesPtr;

// A partition of 9,000 documents, so of several chunks of hidden ones, in generations that follow each other.
class HiddenDocumentsOfALeaf : public testing::Test {
 protected:
  void SetUp() override {
    const auto summary = support::write_partition(support::random_documents(9000, 3), folder_ / "files").value();
    ASSERT_TRUE(partition::Partition::ingest(folder_ / "files", summary.files, folder_ / "db", false));
    open_ = std::make_shared<OpenPartition>(1, "p", partition::Partition::open(folder_ / "db").value(), lists_);
    entry_.id = "p";
    entry_.summary = summary;
  }
  ChangesPtr changes(std::vector<DocId> docids) {
    const auto file = folder_ / (std::to_string(++files_) + ".sst");
    const auto writer = partition::ChangeWriter::create(file, {{"p", std::move(docids)}}).value();
    EXPECT_TRUE(writer->finish({}));
    return partition::Changes::open(file).value();
  }
  // What the manifest of a generation with these hidden documents says.
  const repository::PartitionEntry& entry_with(std::span<const DocId> docids) {
    entry_.hidden = {docids.size(), 0, 0};
    for (const DocId docid : docids) entry_.hidden.tokens += open_->partition().lengths()[docid];
    return entry_;
  }
  std::shared_ptr<const ServedGeneration> serve(std::vector<ChangesPtr> changes, const Hidden& hidden) {
    auto served = std::make_shared<ServedGeneration>();
    served->changes = std::move(changes);
    served->partitions.push_back({0, {}, open_, hidden.documents, hidden.tokens});
    return served;
  }
  static std::vector<DocId> docids_of(const Hidden& hidden) {
    std::vector<DocId> docids;
    const auto& documents = *hidden.documents;
    for (DocId docid = documents.next(0); docid != kNoDoc; docid = documents.next(docid + 1)) docids.push_back(docid);
    return docids;
  }

  support::ScratchFolder folder_;
  int files_ = 0;
  const ListRegistration lists_{[](std::uint64_t, auto) {}, [](std::uint64_t) {}};
  std::shared_ptr<const OpenPartition> open_;
  repository::PartitionEntry entry_;
};

TEST_F(HiddenDocumentsOfALeaf, AreSharedAsFarAsTheyAreTheSame) {
  const auto first = changes({5, 7000});
  const std::vector<DocId> two{5, 7000}, four{5, 6, 7000, 8999};
  const Hidden one = hidden_of(entry_with(two), *open_, std::vector{first}, {}).value();
  EXPECT_EQ(docids_of(one), two);
  const ServedSet serving{serve({first}, one)};
  // Another partition was changed: the same object.
  EXPECT_EQ(hidden_of(entry_with(two), *open_, std::vector{first}, serving)->documents, one.documents);
  const auto second = changes({6, 8999});
  const Hidden more = hidden_of(entry_with(four), *open_, std::vector{first, second}, serving).value();
  EXPECT_EQ(docids_of(more), four);
  EXPECT_EQ(more.tokens, entry_.hidden.tokens);
  EXPECT_EQ(docids_of(one), two);
  // The files are merged into one.
  const auto merged = changes(four);
  EXPECT_EQ(docids_of(hidden_of(entry_with(four), *open_, std::vector{merged}, serving).value()), four);
}

TEST_F(HiddenDocumentsOfALeaf, ComeBackAfterARollback) {
  const auto first = changes({5}), second = changes({6, 8999});
  const std::vector<DocId> one{5}, three{5, 6, 8999};
  const Hidden all = hidden_of(entry_with(three), *open_, std::vector{first, second}, {}).value();
  const ServedSet serving{serve({first, second}, all)};
  EXPECT_EQ(docids_of(hidden_of(entry_with(one), *open_, std::vector{first}, serving).value()), one);
  EXPECT_EQ(hidden_of(entry_with({}), *open_, {}, serving)->documents, nullptr);
}

TEST_F(HiddenDocumentsOfALeaf, AreRefusedIfTheManifestCountsOthers) {
  const auto first = changes({5});
  const std::vector<DocId> one{5}, two{5, 6};
  const Hidden hidden = hidden_of(entry_with(one), *open_, std::vector{first}, {}).value();
  const ServedSet serving{serve({first}, hidden)};
  for (const auto& docids : {std::vector<DocId>{5, 6}, {9000}, {6, 7}}) {
    const std::vector<ChangesPtr> files{first, changes(docids)};
    for (const ServedSet& known : {ServedSet(), serving})
      EXPECT_EQ(hidden_of(entry_with(two), *open_, files, known).error().code(), Code::kCorrupt) << docids[0];
  }
}

}  // namespace
}  // namespace frond::leaf::generation
