// Changes that depend on what documents are, before and after they are published and the service was started again; and
// what clients keep with a collection.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "common/elasticsearch/mapping.h"
#include "common/schema/schema_json.h"
#include "indexer/write/mapped_records.h"
#include "indexer/write/operation_log.h"
#include "indexer/write/written_collections.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::write {
namespace {
using Change = CollectionWriter::DocumentChange;
using Kind = CollectionWriter::DocumentOutcome::Kind;

class ACollectionsDocuments : public testing::Test {
 protected:
  ACollectionsDocuments() {
    std::filesystem::create_directory(folder_ / "repository");
    start();
    EXPECT_TRUE(*all_->create("c", R"({"schema":{"fields":{"title":{"type":"text"}}}})"));
  }
  void start() {
    all_.reset();
    WriterOptions options;
    options.repository = folder_ / "repository";
    options.refresh = std::chrono::hours(1);
    registries_.push_back(std::make_unique<metrics::Registry>("test"));
    all_ = *WrittenCollections::open(options, *registries_.back(), log_);
  }
  CollectionWriter& writer() {
    writer_ = *all_->find("c");
    return *writer_;
  }
  void publish() {
    std::promise<bool> published;
    writer().when_published([&](const Result<Published>& done) { published.set_value(done.has_value()); });
    EXPECT_TRUE(published.get_future().get());
  }
  // No file may grow beyond the collection's log as it is.
  template <class Work>
  void while_the_log_is_full(const Work& work) {
    std::uintmax_t log_bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_ / "repository" / "c" / kLogFolder))
      if (file.path().extension() == ".log") log_bytes = std::max(log_bytes, file.file_size());
    rlimit usual;
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &usual), 0);
    const rlimit full{log_bytes, usual.rlim_max};
    const auto before = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
    work();
    setrlimit(RLIMIT_FSIZE, &usual);
    std::signal(SIGXFSZ, before);
  }
  static Change change(Change::Kind kind, const std::string& id, const std::string& source = "{}") {
    if (kind == Change::Kind::kRemove) return {.kind = kind, .id = id, .line = ""};
    return {.kind = kind, .id = id, .line = R"({"id":")" + id + R"(","title":"t","_source":)" + source + "}"};
  }
  CollectionWriter::DocumentOutcome made(const Change& one) { return writer().change_documents({one})->front(); }
  LatestDocuments::Read latest(const std::string& id) { return writer().latest(std::vector{id}, 1 << 20)->front(); }

  support::ScratchFolder folder_;
  Logger log_{"test", LogLevel::kError};
  std::vector<std::unique_ptr<metrics::Registry>> registries_;
  std::unique_ptr<WrittenCollections> all_;
  std::shared_ptr<CollectionWriter> writer_;
};

constexpr auto kIndex = Change::Kind::kIndex, kCreate = Change::Kind::kCreate, kRemove = Change::Kind::kRemove;

TEST_F(ACollectionsDocuments, HaveVersionsAndNumbersWhetherTheyArePublishedOrNot) {
  for (const bool published : {false, true}) {
    const std::string id = published ? "p" : "w";
    EXPECT_EQ(made(change(kCreate, id, R"({ "a": 1 })")).kind, Kind::kCreated);
    if (published) publish();
    EXPECT_EQ(latest(id).source, R"({ "a": 1 })") << "as it was given";
    EXPECT_EQ(made(change(kCreate, id)).kind, Kind::kConflict);
    const auto updated = made(change(kIndex, id));
    EXPECT_EQ(updated.kind, Kind::kUpdated);
    EXPECT_EQ(updated.latest.version, 2u);
    EXPECT_EQ(updated.latest, latest(id).latest);
    if (published) publish();
    EXPECT_EQ(updated.latest, latest(id).latest) << "the same when it is published";
    EXPECT_EQ(made(change(kRemove, id)).kind, Kind::kRemoved);
    EXPECT_FALSE(latest(id).latest.exists);
    EXPECT_EQ(made(change(kRemove, id)).kind, Kind::kMissing);
  }
}
// Again and in parts it would undo what came after it.
TEST_F(ACollectionsDocuments, ArePublishedOnceThoughTheLogCantForgetThem) {
  made(change(kIndex, "long", R"({"v":")" + std::string(1 << 20, 'x') + "\"}"));
  publish();
  for (int i = 0; i < 2; ++i) made(change(kIndex, "a"));
  CollectionWriter::State state;
  while_the_log_is_full([&] {
    publish();
    state = writer().state();
  });
  EXPECT_EQ(state.published, state.accepted) << "a generation has it";
  EXPECT_EQ(state.pending_operations, 0u);
  EXPECT_EQ(state.error, "") << "nothing is tried again";
}
TEST_F(ACollectionsDocuments, MayBeOfAnotherGenerationThoughTheLogCantRememberWhoAsked) {
  made(change(kIndex, "a", std::string(R"({"v":")") + std::string(1 << 20, 'x') + "\"}"));
  publish();
  made(change(kIndex, "b"));
  publish();
  EXPECT_TRUE(latest("b").latest.exists);
  while_the_log_is_full([&] {
    const auto before = writer().make_current({}, RequestMark{"key", std::string(16, 'r')});
    ASSERT_FALSE(before);
    EXPECT_NE(before.error().message().find(kMayBeAccepted), std::string::npos) << before.error().message();
  });
  EXPECT_FALSE(latest("b").latest.exists) << "it was rolled back";
}

TEST_F(ACollectionsDocuments, AreReplacedOnlyAfterTheChangeThatIsNamed) {
  const auto first = made(change(kIndex, "1"));
  auto next = change(kIndex, "1");
  next.if_change = *first.latest.change + 1;
  EXPECT_EQ(made(next).kind, Kind::kConflict);
  EXPECT_EQ(made(next).latest, first.latest) << "a conflict takes no number";
  next.if_change = *first.latest.change;
  const auto second = made(next);
  EXPECT_EQ(second.kind, Kind::kUpdated);
  EXPECT_EQ(*second.latest.change, *first.latest.change + 1);
  publish();
  EXPECT_EQ(made(next).kind, Kind::kConflict);
}
TEST_F(ACollectionsDocuments, MayHaveVersionsThatClientsCount) {
  auto counted = change(kIndex, "1");
  counted.counted = Change::Counted::kGreater;
  counted.version = 5;
  EXPECT_EQ(made(counted).latest.version, 5u);
  EXPECT_EQ(made(counted).kind, Kind::kConflict);
  counted.counted = Change::Counted::kNotLess;
  EXPECT_EQ(made(counted).kind, Kind::kUpdated);
}
TEST_F(ACollectionsDocuments, KeepTheHighestVersion) {
  auto counted = change(kIndex, "1");
  counted.counted = Change::Counted::kGreater;
  counted.version = kMaxVersion;
  EXPECT_EQ(made(counted).latest.version, kMaxVersion);
  EXPECT_EQ(made(change(kIndex, "1")).latest.version, kMaxVersion);
  EXPECT_EQ(made(counted).kind, Kind::kConflict);
}
TEST_F(ACollectionsDocuments, AreTheSameAfterARestart) {
  const auto waiting = made(change(kIndex, "1", R"({"n":1})"));
  writer_.reset();
  start();
  EXPECT_EQ(latest("1").latest, waiting.latest);
  EXPECT_EQ(latest("1").source, R"({"n":1})");
  publish();
  writer_.reset();
  start();
  EXPECT_EQ(latest("1").latest, waiting.latest);
}
// As where the loss of what came after them was accepted.
TEST_F(ACollectionsDocuments, KeepTheirNumbersThoughLaterOnesAreMissing) {
  std::vector<LatestDocument> made_before;
  for (const char* const id : {"1", "2", "3"}) made_before.push_back(made(change(kIndex, id)).latest);
  writer_.reset();
  all_.reset();
  const auto path = log_head_path(folder_ / "repository" / "c" / kLogFolder);
  auto head = **read_log_head(path);
  head.last = head.passed = head.last + 2;
  std::ofstream(path, std::ios::binary) << to_text(head);
  start();
  for (const bool published : {false, true}) {
    if (published) publish();
    for (std::size_t i = 0; i < made_before.size(); ++i)
      EXPECT_EQ(latest(std::to_string(i + 1)).latest, made_before[i]) << published;
    EXPECT_EQ(latest("2").source, "{}");
  }
  EXPECT_EQ(made(change(kIndex, "4")).latest.change, head.last + 1);
}
TEST_F(ACollectionsDocuments, AreReadUpToTheBytesThatAreAskedFor) {
  const std::string source = R"({"v":"12345"})";
  made(change(kIndex, "p", source));
  publish();
  made(change(kIndex, "w", source));
  const std::vector<std::string> ids{"p", "w", "p", "none"};
  const auto read = writer().latest(ids, 3 * source.size());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ((*read)[2].source, source);
  EXPECT_FALSE((*read)[3].latest.exists);
  EXPECT_EQ(writer().latest(ids, 3 * source.size() - 1), Code::kInvalid);
}
// They get their numbers besides.
TEST_F(ACollectionsDocuments, MayBeAsLongAsIsSaid) {
  Change longest = change(kIndex, "1");
  longest.line.insert(1, writer().most_record_bytes() - longest.line.size(), ' ');
  ASSERT_TRUE(writer().checked_id(longest.line));
  EXPECT_FALSE(writer().checked_id(longest.line + " "));
  longest.counted = Change::Counted::kGreater;
  longest.version = kMaxVersion;
  const auto accepted = made(longest);
  publish();
  EXPECT_EQ(writer().state().not_indexed.documents, 0u);
  EXPECT_EQ(latest("1").latest, accepted.latest);
}
TEST_F(ACollectionsDocuments, SeeOneAnotherInOneRequest) {
  const auto outcomes = writer().change_documents(
      {change(kCreate, "1"), change(kCreate, "1"), change(kRemove, "1"), change(kCreate, "1")});
  ASSERT_EQ(outcomes->size(), 4u);
  EXPECT_EQ((*outcomes)[1].kind, Kind::kConflict);
  EXPECT_EQ((*outcomes)[2].kind, Kind::kRemoved);
  EXPECT_EQ((*outcomes)[3].kind, Kind::kCreated);
  EXPECT_EQ(*(*outcomes)[3].latest.change, *(*outcomes)[0].latest.change + 2);
}
TEST_F(ACollectionsDocuments, OfOtherWaysInHaveVersionOneAndNoNumberOncePublished) {
  const Operation plain{"1", R"({"id":"1","title":"t","_version":9})"};
  ASSERT_TRUE(writer().accept({&plain, 1}, std::nullopt));
  publish();
  const auto read = latest("1");
  EXPECT_EQ(read.latest, (LatestDocument{true, 1, {}}));
  EXPECT_EQ(read.source, plain.line);
}
TEST_F(ACollectionsDocuments, GetTheFieldsOfTheSchemaThatIsKept) {
  const std::string more =
      R"({"metadata":{"x":1},"schema":{"fields":{"title":{"type":"text"},"n":{"type":"integer"}}}})";
  EXPECT_EQ(writer().put_metadata(more, "other"), Code::kOverloaded);
  const auto kept = writer().put_metadata(more, "");
  ASSERT_TRUE(kept) << kept.error().message();
  EXPECT_EQ(writer().put_metadata(more, ""), Code::kOverloaded) << "somebody else was first";
  EXPECT_EQ(writer().put_metadata(R"({"schema":{"fields":{"title":{"type":"keyword"}}}})", kept->version),
            Code::kInvalid);
  EXPECT_EQ(writer().put_metadata("no object", kept->version), Code::kInvalid);
  EXPECT_FALSE(writer().checked_id(R"({"id":"1","n":"none"})")) << "documents are checked by it at once";
  writer_.reset();
  start();
  EXPECT_EQ(writer().metadata()->text, more);
  EXPECT_FALSE(writer().checked_id(R"({"id":"1","n":"none"})"));
}

class AMappedCollection : public ACollectionsDocuments {
 protected:
  static constexpr std::string_view kMapping = R"({"properties":{"k":{"type":"keyword"},"n":{"type":"short"}}})";
  void SetUp() override {
    ACollectionsDocuments::SetUp();
    const auto mapping = nlohmann::json::parse(kMapping);
    schema_ = schema::schema_text(elasticsearch::schema_of(*elasticsearch::read_mapping(nullptr, mapping)));
    ASSERT_TRUE(*all_->create("m", "{\"schema\":" + schema_ + "}"));
  }
  CollectionWriter& mapped() { return **all_->find("m"); }
  void keep_mapping() {
    const std::string kept = R"({"metadata":{"elasticsearch":{"settings":{},"mapping":)" + std::string(kMapping);
    ASSERT_TRUE(mapped().put_metadata(kept + R"(}},"schema":)" + schema_ + "}", ""));
  }
  MappedRecords records(std::size_t room = 1 << 20) { return *MappedRecords::open(mapped(), room); }

 private:
  std::string schema_;
};

// Numbers of five digits, all different, behind as many as make them so wide.
std::string list_of(std::size_t count, std::size_t width, const char* mark) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i)
    list += (i > 0 ? "," : "") + (mark + std::string(width - 5, '1') + std::to_string(10'000 + i) + mark);
  return "[" + list + "]";
}

TEST_F(AMappedCollection, MakesRecordsOfDocuments) {
  EXPECT_EQ(MappedRecords::open(mapped(), 0), Code::kInvalid) << "nothing is kept";
  keep_mapping();
  auto made = records();
  EXPECT_EQ(*made.record_of("1", R"({"k":"x"})"), R"({"id":"1","k":["x"],"title":"","_source":{"k":"x"}})");
  const auto wrong = made.record_of("1", R"({"n":40000})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().type, "mapper_parsing_exception");
  EXPECT_EQ(wrong.error().cause["type"], "illegal_argument_exception");
  EXPECT_FALSE(made.record_of("\n", R"({"n":1})"));
  EXPECT_FALSE(made.waits());
}
TEST_F(AMappedCollection, TellsOfAllFieldsThatDocumentsBring) {
  keep_mapping();
  auto made = records();
  EXPECT_FALSE(made.record_of("1", R"({"n":1})")->empty());
  for (const char* const source : {R"({"a":5})", R"({"n":2})", R"({"a":"x"})", R"({"b":true})"})
    EXPECT_TRUE(made.record_of("2", source)->empty()) << source;
  EXPECT_TRUE(made.waits());
  const auto brought = made.brought()["properties"];
  EXPECT_EQ(brought["a"]["type"], "long") << "the first that brings it says what it is";
  EXPECT_EQ(brought["b"]["type"], "boolean");
  EXPECT_TRUE(brought.contains("k"));
}
TEST_F(AMappedCollection, HasRoomForOneRecordAtLeast) {
  keep_mapping();
  auto made = records(20);
  EXPECT_FALSE(made.record_of("1", R"({"n":1})")->empty());
  EXPECT_TRUE(made.record_of("2", R"({"n":1})")->empty());
  EXPECT_TRUE(made.waits() && made.brought().is_null());
}
TEST_F(AMappedCollection, TakesNoRecordThatCouldNotBeIndexed) {
  keep_mapping();
  for (const std::size_t count : {1019, 1021, 1024, 1025, 2000}) {
    auto made = records().record_of("1", "{\"n\":" + list_of(count, 5, "") + "}");
    EXPECT_EQ(bool(made), count <= 1024) << count;
    EXPECT_TRUE(!made || mapped().checked_id(*made)) << count;
  }
  for (const std::size_t count : {15, 16, 17, 60}) {
    auto made = records().record_of("1", "{\"k\":" + list_of(count, 1010, "\"") + "}");
    EXPECT_EQ(bool(made), count <= 16) << count;
    EXPECT_TRUE(!made || mapped().checked_id(*made)) << count;
  }
}

}  // namespace
}  // namespace frond::indexer::write
