// A document that was accepted and can't be indexed is set aside, told and kept; what was accepted with it is
// published.
#include "indexer/write/not_indexed.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/repository/repository.h"
#include "indexer/build/build.h"
#include "indexer/build/collection_kind.h"
#include "indexer/ingest/streams/input_limits.h"
#include "indexer/pipeline/memory.h"
#include "indexer/write/operation_log.h"
#include "indexer/write/written_collections.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::write {
namespace {
namespace fs = std::filesystem;
using namespace std::chrono_literals;

Operation document(const std::string& id) { return {id, R"({"id":")" + id + R"(","body":"word"})"}; }
// Of an older version, for example, that took what this one does not.
Operation no_document(const std::string& id) { return {id, R"({"id":")" + id + R"(","body":)"}; }

class ADocumentThatCantBeIndexed : public testing::Test {
 protected:
  ADocumentThatCantBeIndexed() { fs::create_directory(repository()); }
  fs::path repository() const { return folder_ / "repository"; }
  fs::path in(const std::string& name) const { return repository() / "c" / name; }
  void serve(std::uint64_t memory_limit = pipeline::kMinMemoryLimit, std::chrono::milliseconds refresh = 1ms) {
    WriterOptions options;
    options.repository = repository();
    options.refresh = refresh;
    options.memory_limit = memory_limit;
    all_.reset();
    registry_ = std::make_unique<metrics::Registry>("test");
    all_ = WrittenCollections::open(options, *registry_, log_).value();
  }
  void make() {
    serve();
    ASSERT_EQ(*all_->create("c", ""), true);
  }
  // Past what looks at documents before they are accepted.
  void accept_anything(const std::vector<Operation>& operations) {
    all_.reset();
    const auto log = OperationLog::open(in(kLogFolder), {}).value();
    ASSERT_TRUE(log->append(operations, {}, 1 << 30));
  }
  CollectionWriter::State state() { return (*all_->find("c"))->state(); }
  bool eventually(const std::function<bool()>& is) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!is() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(10ms);
    return is();
  }
  bool publishes_all() {
    return eventually([&] { return state().published == state().accepted; });
  }
  std::uint64_t published_documents() const {
    const auto source = *repository::RepositorySource::open(repository().string(), "c");
    return source->manifest(*source->current())->statistics.documents;
  }
  double metric(const std::string& name) {
    const std::string all = registry_->exposition();
    const auto at = all.find("\n" + name + " ");
    return at == all.npos ? -1 : std::stod(all.substr(at + name.size() + 2));
  }
  static std::vector<std::string> ids_of(const NotIndexed::Listed& listed) {
    std::vector<std::string> ids;
    for (const auto& one : listed.first) ids.push_back(one.id);
    return ids;
  }

  support::ScratchFolder folder_;
  Logger log_{"test", LogLevel::kError};
  std::unique_ptr<metrics::Registry> registry_;
  std::unique_ptr<WrittenCollections> all_;
};
using Ids = std::vector<std::string>;

TEST_F(ADocumentThatCantBeIndexed, IsSetAsideWhileTheOthersArePublished) {
  for (const bool exists : {false, true}) {  // the first generation, and the next ones
    SCOPED_TRACE(exists);
    if (!exists) make();
    std::vector<Operation> operations;
    for (int i = 0; i < 21; ++i) {
      const std::string id = (exists ? "later-" : "first-") + std::to_string(i);
      operations.push_back(i == 7 || i == 20 ? no_document(id) : document(id));
    }
    operations.push_back({"first-0", ""});
    accept_anything(operations);
    serve();
    ASSERT_TRUE(publishes_all()) << state().error;
    EXPECT_EQ(state().error, "");
    EXPECT_EQ(published_documents(), exists ? 2 * 19u - 1 : 18u);
  }
  const Ids expected{"first-7", "first-20", "later-7", "later-20"};
  const auto listed = state().not_indexed;
  EXPECT_EQ(ids_of(listed), expected);
  EXPECT_EQ(listed.documents, 4u);
  EXPECT_EQ(listed.first[0].sequence, 8u);
  EXPECT_NE(listed.first[0].reason, "");
  EXPECT_EQ(metric("frond_indexer_not_indexed_documents"), 4);
  EXPECT_NE(support::read_file(in(kNotIndexedFile)).find(no_document("later-20").line + "}\n"), std::string::npos);
  serve();
  EXPECT_EQ(ids_of(state().not_indexed), expected) << "the next service tells of them, too";
  fs::remove(in(kNotIndexedFile));
  EXPECT_EQ(state().not_indexed.documents, 0u);
  EXPECT_EQ(metric("frond_indexer_not_indexed_documents"), 0);
}

TEST_F(ADocumentThatCantBeIndexed, MayBeOfAServiceWithMoreMemory) {
  const std::uint64_t less = pipeline::kMinMemoryLimit, more = 8 * less;
  serve(more, 1h);
  ASSERT_EQ(*all_->create("c", ""), true);
  {
    const auto writer = *all_->find("c");
    // Publishes the first change at once, and the others in an hour.
    ASSERT_TRUE(writer->accept(std::vector{document("first")}, {}));
    ASSERT_TRUE(publishes_all()) << state().error;
    std::string words;
    while (words.size() <= ingest::InputLimits::of(less).record_bytes) words += "word ";
    const Operation large{"large", R"({"id":"large","body":")" + words + R"("})"};
    ASSERT_EQ(*writer->checked_id(large.line), "large");
    ASSERT_TRUE(writer->accept(std::vector{document("before"), large, document("after")}, {}));
  }
  serve(less);
  ASSERT_TRUE(publishes_all()) << state().error;
  EXPECT_EQ(published_documents(), 3u);
  EXPECT_EQ(ids_of(state().not_indexed), Ids{"large"});
}

TEST_F(ADocumentThatCantBeIndexed, DoesNotKeepBackWhatReplacesIt) {
  make();
  accept_anything({no_document("a"), document("b"), document("a")});
  serve();
  ASSERT_TRUE(publishes_all()) << state().error;
  EXPECT_EQ(published_documents(), 2u);
  EXPECT_EQ(state().not_indexed.documents, 0u);
}

TEST_F(ADocumentThatCantBeIndexed, IsJudgedByTheSchemaThatCommandsLeave) {
  serve();
  ASSERT_EQ(*all_->create("c", R"({"schema":{"fields":{"year":{"type":"integer"}}}})"), true);
  const auto writer = *all_->find("c");
  ASSERT_TRUE(writer->accept(std::vector{document("a")}, {}));
  ASSERT_TRUE(publishes_all()) << state().error;

  support::write_file(folder_ / "input.jsonl", R"({"id":"b","body":"word","price":7})");
  BuildOptions options;
  options.repository = repository();
  options.collection = "c";
  options.invert.inputs = {folder_ / "input.jsonl"};
  options.invert.memory = pipeline::plan_memory(pipeline::kMinMemoryLimit, 1, 1);
  options.take_schema(*schema_from_text(R"({"fields":{"year":{"type":"integer"},"price":{"type":"integer"}}})"));
  BuildProgress progress;
  const auto added = add(options, progress, log_, {});
  ASSERT_TRUE(added) << added.error().message();

  const Operation bad{"bad", R"({"id":"bad","body":"word","price":"dear"})"};
  ASSERT_TRUE(writer->accept(std::vector{document("c"), bad, document("d")}, {}));
  ASSERT_TRUE(publishes_all()) << state().error;
  EXPECT_EQ(published_documents(), 4u);
  EXPECT_EQ(ids_of(state().not_indexed), Ids{"bad"});
  EXPECT_EQ(writer->checked_id(bad.line), Code::kInvalid);

  options.take_schema(*schema_from_text(R"({"fields":{"price":{"type":"keyword"}}})"));
  const auto built = build(options, progress, log_, {});
  ASSERT_FALSE(built) << "7 is no keyword";
  support::write_file(folder_ / "input.jsonl", bad.line);
  ASSERT_TRUE(build(options, progress, log_, {}));
  EXPECT_TRUE(eventually([&] { return writer->checked_id(bad.line).has_value(); })) << "in a second or so";
  ASSERT_TRUE(writer->accept(std::vector{document("e")}, {}));
  EXPECT_TRUE(publishes_all()) << state().error;
  EXPECT_EQ(published_documents(), 2u);
}

// The settings say impacts, and what a command built is words.
TEST_F(ADocumentThatCantBeIndexed, IsTriedInACollectionAsACommandLeftIt) {
  serve();
  ASSERT_EQ(*all_->create("c", R"({"schema":{"fields":{"vector":{"type":"weights"}},"scorer":"impact"}})"), true);
  support::write_file(folder_ / "input.jsonl", document("a").line);
  BuildOptions options;
  options.repository = repository();
  options.collection = "c";
  options.invert.inputs = {folder_ / "input.jsonl"};
  options.invert.memory = pipeline::plan_memory(pipeline::kMinMemoryLimit, 1, 1);
  BuildProgress progress;
  ASSERT_TRUE(build(options, progress, log_, {}));
  accept_anything({document("b"), no_document("bad"), document("c")});
  serve();
  ASSERT_TRUE(publishes_all()) << state().error;
  EXPECT_EQ(published_documents(), 3u);
  EXPECT_EQ(ids_of(state().not_indexed), Ids{"bad"});
}

TEST_F(ADocumentThatCantBeIndexed, IsNotBlamedForADamagedCollection) {
  make();
  accept_anything({document("a")});
  serve();
  ASSERT_TRUE(publishes_all()) << state().error;
  const std::string good = support::read_file(in("generations/1.terms.sst"));
  support::write_file(in("generations/1.terms.sst"), std::string(good.size(), 'x'));
  accept_anything({document("b"), document("c"), no_document("d")});
  serve();
  ASSERT_TRUE(eventually([&] { return metric("frond_indexer_publications_total{outcome=\"failed\"}") >= 4; }));
  EXPECT_EQ(state().not_indexed.documents, 0u);
  EXPECT_EQ(state().pending_operations, 3u);
  EXPECT_NE(state().error, "");
  support::write_file(in("generations/1.terms.sst"), good);
  ASSERT_TRUE(publishes_all()) << state().error;
  EXPECT_EQ(published_documents(), 3u);
  EXPECT_EQ(ids_of(state().not_indexed), Ids{"d"});
}

TEST(TheFileOfDocumentsNotIndexed, KeepsEachOnceAndDropsWhatWasCutOff) {
  support::ScratchFolder folder;
  const fs::path file = folder / kNotIndexedFile;
  const Operation strange{"a\",\"document\":\"\xff", R"({"id":1})"};
  for (int i = 0; i < 2; ++i) {
    const auto opened = NotIndexed::open(folder.path()).value();
    ASSERT_TRUE(opened->add(strange, 7, "because"));
    ASSERT_TRUE(opened->add(strange, 7, "because"));
    EXPECT_EQ(opened->listed().documents, 1u);
    EXPECT_EQ(opened->listed().first[0].reason, "because");
  }
  const std::string whole = support::read_file(file);
  support::write_file(file, whole + whole.substr(0, whole.size() / 2));
  const auto opened = NotIndexed::open(folder.path()).value();
  EXPECT_EQ(opened->listed().documents, 1u);
  EXPECT_EQ(opened->listed().first[0].sequence, 7u);
  EXPECT_EQ(support::read_file(file), whole);
  ASSERT_TRUE(opened->add(document("b"), 9, "another"));
  EXPECT_EQ(NotIndexed::open(folder.path()).value()->listed().first[1].id, "b");
}

}  // namespace
}  // namespace frond::indexer::write
