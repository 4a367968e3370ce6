// Files that are whole, and contradict each other: what is wrong is told, by name, and nothing is changed.
#include "common/partition/file_checksum.h"
#include "common/partition/terms/change_file.h"
#include "indexer/ciff/ciff.h"
#include "tests/differential/change/random_changes.h"

namespace frond::change_test {
namespace {

class AnInconsistentCollection : public AChangedCollection {
 protected:
  void make() {
    ASSERT_TRUE(build(repository(), some_texts(50), GetParam().partitions));
    add(some_texts(30), -1);
  }
  // Publishes a generation in which the first partition has so many documents more than it has, or fewer, and hides the
  // one with this docID. Names the partition, and the file of changes.
  void publish_wrong(std::int64_t more, std::optional<DocId> beyond) {
    const auto writer = *repository::RepositoryWriter::open(repository(), "c");
    auto draft = *writer->source().manifest(current());
    draft.generation = writer->next_generation();
    auto& entry = draft.partitions[0];
    partition_ = entry.id;
    const auto hidden = static_cast<DocId>(entry.summary.documents + beyond.value_or(0));
    entry.summary.documents += static_cast<std::uint64_t>(more);
    draft.statistics.documents += static_cast<std::uint64_t>(more);
    std::filesystem::path file;
    if (beyond) {
      ++entry.hidden.documents;
      --draft.statistics.documents;
      file = writer->building() / "changes.sst";
      const auto changes = *partition::ChangeWriter::create(file, {{entry.id, {hidden}}});
      ASSERT_TRUE(changes->finish({draft.terms, draft.postings, draft.statistics.tokens}));
      draft.changes.push_back(*partition::describe_file(file));
      file_ = draft.changes.back().name = std::to_string(draft.generation) + ".changes.sst";
    }
    const auto published = writer->publish(draft, {}, file);
    ASSERT_TRUE(published) << published.error().message();
  }
  void undo() {
    const auto writer = *repository::RepositoryWriter::open(repository(), "c");
    ASSERT_TRUE(writer->rollback());
  }
  std::string partition_, file_;
};

TEST_P(AnInconsistentCollection, IsNotMergedWhereAFileOfChangesHidesWhatIsNotThere) {
  make();
  for (const bool manifest_agrees : {false, true}) {
    SCOPED_TRACE(manifest_agrees);
    const auto publish = [&](std::string_view step) {
      if (step == "compaction: publish") publish_wrong(manifest_agrees ? 10 : 0, 3);
    };
    const auto compacted = indexer::change::compact({repository(), "c", 0, publish}, {2, 0.2, true}, {});
    ASSERT_EQ(compacted, Code::kCorrupt);
    const std::string& told = compacted.error().message();
    EXPECT_NE(told.find(manifest_agrees ? "partition " + partition_ + " has" : file_), std::string::npos) << told;
    undo();
  }
}

TEST_P(AnInconsistentCollection, IsNotExportedWhereAFileOfChangesHidesWhatIsNotThere) {
  make();
  publish_wrong(1'000'000, 900'000);  // far behind what is held by document
  const auto exported = indexer::ciff::export_ciff(repository(), "c", 0, folder_ / "c.ciff", {});
  ASSERT_EQ(exported, Code::kCorrupt);
  const std::string& told = exported.error().message();
  EXPECT_NE(told.find("partition " + partition_ + ": hidden document"), std::string::npos) << told;
}

TEST_P(AnInconsistentCollection, LosesNoRemovalOfADocumentThatTheManifestDoesNotCount) {
  std::vector<Text> texts;
  for (const char* id : {"a", "b", "c", "d"}) texts.push_back({id, "", "word"});
  ASSERT_TRUE(build(repository(), texts, 1));
  publish_wrong(-1, {});
  const Generation before = current();
  std::vector<std::string> ids{"a", "b", "c", "d"};
  const auto next_id = [&]() -> Result<std::optional<std::string>> {
    if (ids.empty()) return std::optional<std::string>();
    const std::string id = ids.back();
    ids.pop_back();
    return std::optional<std::string>(id);
  };
  const auto removed = indexer::change::remove_documents({repository(), "c", 0}, next_id, {});
  ASSERT_EQ(removed, Code::kCorrupt);
  const std::string& told = removed.error().message();
  EXPECT_NE(told.find("partition " + partition_ + ": the id 'd' is of document 3 of 3"), std::string::npos) << told;
  EXPECT_EQ(current(), before);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnInconsistentCollection, testing::Values(Case{1, 1}, Case{2, 3}),
                         [](const auto& seeded) { return "Seed" + std::to_string(seeded.param.seed); });

}  // namespace
}  // namespace frond::change_test
