// A name can be made, found and removed again after whatever failed before, or it is said what is in its way.
#include "indexer/write/written_collections.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "indexer/write/collection_places.h"
#include "indexer/write/operation_log.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::write {
namespace {
namespace fs = std::filesystem;

class ACollectionsName : public testing::Test {
 protected:
  ACollectionsName() { fs::create_directory(repository()); }
  fs::path repository() const { return folder_ / "repository"; }
  fs::path in(const std::string& name) const { return repository() / "c" / name; }
  std::unique_ptr<WrittenCollections> serve(const std::string& state = {}, std::uint32_t max_collections = 64) {
    WriterOptions options;
    options.repository = repository();
    if (!state.empty()) options.objects.scratch = folder_ / state;
    options.max_collections = max_collections;
    registries_.push_back(std::make_unique<metrics::Registry>("test"));
    auto all = WrittenCollections::open(options, *registries_.back(), log_);
    EXPECT_TRUE(all) << all.error().message();
    return *std::move(all);
  }
  // It can be made, found and removed, and then nothing of it is there.
  void expect_usable(WrittenCollections& all) {
    const auto made = all.create("c", "");
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_TRUE(*made);
    EXPECT_TRUE(all.find("c")) << all.find("c").error().message();
    expect_removable(all);
  }
  void expect_removable(WrittenCollections& all) {
    const auto removed = all.remove("c");
    EXPECT_TRUE(removed) << removed.error().message();
    EXPECT_EQ(all.find("c"), Code::kNotFound);
    EXPECT_FALSE(fs::exists(fs::symlink_status(repository() / "c")));
  }

  support::ScratchFolder folder_;
  Logger log_{"test", LogLevel::kError};
  std::vector<std::unique_ptr<metrics::Registry>> registries_;
};

// Of a creation: folders; and a log that has no settings yet.
void leave(const fs::path& collection, bool with_log) {
  fs::create_directories(collection / "generations");
  fs::create_directories(collection / "partitions");
  support::write_file(collection / "LOCK", "");
  if (!with_log) return;
  ASSERT_TRUE(OperationLog::open(collection / kLogFolder, {}));
}

TEST_F(ACollectionsName, IsFreeAfterACreationThatWasCutOff) {
  for (const bool with_log : {false, true}) {
    leave(repository() / "c", with_log);
    const auto all = serve();
    EXPECT_EQ(all->find("c"), Code::kNotFound);
    expect_usable(*all);
    expect_usable(*all);
  }
}
TEST_F(ACollectionsName, OfACreationThatWasCutOffCanBeRemoved) {
  leave(repository() / "c", true);
  const auto all = serve();
  EXPECT_NE(all->find("c").error().message().find(in("log").string()), std::string::npos);
  expect_removable(*all);
}
TEST_F(ACollectionsName, CanBeRemovedWhateverIsDamaged) {
  const std::pair<const char*, std::function<void(const fs::path&)>> damages[] = {
      {"CURRENT", [](const fs::path& c) { support::write_file(c / "CURRENT", "nonsense\n"); }},
      {"a manifest that is missing", [](const fs::path& c) { support::write_file(c / "CURRENT", "7\n"); }},
      {"the log", [](const fs::path& c) { support::write_file(c / "log" / "CURRENT", "nonsense\n"); }},
      {"a folder that is a file", [](const fs::path& c) {
         fs::remove_all(c / "partitions");
         support::write_file(c / "partitions", "");
         support::write_file(c / "CURRENT", "nonsense\n");
       }}};
  for (const auto& [what, damage] : damages) {
    SCOPED_TRACE(what);
    ASSERT_EQ(*serve()->create("c", ""), true);
    damage(repository() / "c");
    const auto all = serve();
    EXPECT_FALSE(all->find("c"));
    EXPECT_NE(all->find("c"), Code::kNotFound) << "it is there";
    EXPECT_EQ(*all->create("c", ""), false);
    expect_removable(*all);
    expect_usable(*all);
  }
}
TEST_F(ACollectionsName, IsNotTakenFromWhatIsNoCollection) {
  const std::pair<const char*, std::function<void(const fs::path&)>> others[] = {
      {"c", [](const fs::path& c) { support::write_file(c, "text"); }},
      {"c", [](const fs::path& c) { fs::create_symlink("nowhere", c); }},
      {"c/notes.txt",
       [](const fs::path& c) {
         fs::create_directory(c);
         support::write_file(c / "notes.txt", "text");
       }},
      {"c/generations",
       [](const fs::path& c) {
         fs::create_directory(c);
         support::write_file(c / "generations", "text");
       }},
      {"c/log", [](const fs::path& c) {
         fs::create_directory(c);
         support::write_file(c / "log", "text");
       }}};
  for (const auto& [path, put] : others) {
    SCOPED_TRACE(path);
    put(repository() / "c");
    const auto all = serve();
    const auto made = all->create("c", "");
    ASSERT_EQ(made, Code::kCorrupt);
    EXPECT_NE(made.error().message().find((repository() / path).string() + " is in the way"), std::string::npos)
        << made.error().message();
    EXPECT_EQ(all->remove("c"), Code::kNotFound);
    EXPECT_TRUE(fs::exists(fs::symlink_status(repository() / path))) << "it is not ours to remove";
    fs::remove_all(repository() / "c");
    expect_usable(*all);
  }
}
TEST_F(ACollectionsName, MayBeThatOfALinkOrOfAVolume) {
  fs::create_directories(folder_ / "elsewhere" / "lost+found");
  fs::create_directory_symlink(folder_ / "elsewhere", repository() / "c");
  const auto all = serve();
  expect_usable(*all);
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere" / "log"));
}
TEST_F(ACollectionsName, TellsWhatItMayBe) {
  const auto all = serve();
  for (const std::string& name : {std::string(), std::string(".c"), std::string("a/b"), std::string(129, 'a')})
    EXPECT_EQ(all->create(name, ""), Code::kInvalid) << name;
  const std::string longest(128, 'a');
  EXPECT_EQ(*all->create(longest, ""), true);
  EXPECT_TRUE(all->remove(longest));
}
TEST_F(ACollectionsName, HasNothingKeptForItThatCouldNotBeCopied) {
  const auto all = serve();
  ASSERT_TRUE(*all->create("c", ""));
  const auto nested = [](std::size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  for (const std::string& wrong : {std::string("text"), std::string("[]"), nested(401), nested(500'000)})
    EXPECT_EQ(all->put_metadata(wrong, ""), Code::kInvalid);
  EXPECT_TRUE(all->put_metadata(nested(400), ""));
  const auto writer = *all->find("c");
  support::write_file(repository() / "c" / "metadata.json", nested(100'000));
  EXPECT_EQ(writer->metadata(), Code::kCorrupt);
  EXPECT_EQ(writer->mapping(), Code::kCorrupt);
}
TEST_F(ACollectionsName, BeyondTheMostCanBeRemoved) {
  {
    const auto all = serve();
    for (const char* name : {"a", "b"}) ASSERT_EQ(*all->create(name, ""), true);
  }
  const auto all = serve({}, 1);
  EXPECT_TRUE(all->find("a"));
  ASSERT_EQ(all->find("b"), Code::kUnavailable);
  EXPECT_NE(all->find("b").error().message().find("--max-collections"), std::string::npos);
  EXPECT_EQ(*all->create("b", ""), false) << "it is there";
  EXPECT_EQ(all->create("c", ""), Code::kOverloaded);
  EXPECT_TRUE(all->remove("b"));
  EXPECT_TRUE(all->remove("a"));
  expect_usable(*all);
}
TEST_F(ACollectionsName, IsNotRemovedWhereAnotherServiceHasItsLog) {
  const auto first = serve();
  ASSERT_EQ(*first->create("c", ""), true);
  const auto second = serve();
  EXPECT_EQ(second->find("c"), Code::kOverloaded);
  EXPECT_EQ(second->remove("c"), Code::kOverloaded);
  support::write_file(in("CURRENT"), "nonsense\n");
  const auto third = serve();  // has not come as far as the log
  EXPECT_EQ(third->find("c"), Code::kCorrupt);
  EXPECT_EQ(third->remove("c"), Code::kOverloaded);
  EXPECT_TRUE(fs::exists(in("log")));
}

TEST_F(ACollectionsName, IsUsableWithLeasesAfterACreationThatWasCutOff) {
  leave(repository() / "c", false);
  leave(folder_ / "state" / "c", true);
  const auto all = serve("state");
  EXPECT_EQ(all->find("c"), Code::kNotFound);
  expect_usable(*all);
  expect_usable(*all);
}
TEST_F(ACollectionsName, IsNotRemovedWhileAnotherServiceHasItsLease) {
  auto first = serve("first");
  ASSERT_EQ(*first->create("c", ""), true);
  support::write_file(in("CURRENT"), "nonsense\n");
  const auto second = serve("second");
  EXPECT_EQ(second->find("c"), Code::kCorrupt);
  const auto removed = second->remove("c");
  ASSERT_EQ(removed, Code::kOverloaded);
  EXPECT_NE(removed.error().message().find("another service writes it"), std::string::npos);
  first.reset();  // gives it back
  EXPECT_TRUE(second->remove("c"));
  expect_usable(*second);
}
// Another service removed the collection, whose changes are still in this one's log.
TEST_F(ACollectionsName, OfARemovedCollectionBringsNoneOfItsChangesBack) {
  ASSERT_EQ(*serve("state")->create("c", ""), true);
  fs::remove_all(repository() / "c");
  const RequestMark mark{"once", "digest"};
  const Operation document{"1", R"({"id":"1","body":"old"})"};
  const fs::path local = folder_ / "state" / "c";
  ASSERT_TRUE((*OperationLog::open(local / kLogFolder, {}))->append({&document, 1}, mark, 1 << 20));
  const auto all = serve("state");
  ASSERT_EQ(*all->create("c", ""), true);
  const auto writer = *all->find("c");
  EXPECT_EQ(writer->state().accepted, 0u);
  const Operation another{"2", R"({"id":"2","body":"new"})"};
  const auto accepted = writer->accept({&another, 1}, mark);
  ASSERT_TRUE(accepted) << accepted.error().message() << ": a key of the old collection";
  EXPECT_FALSE(accepted->repeated);
  std::string kept;
  for (const auto& entry : fs::directory_iterator(local))
    if (entry.path().filename().string().starts_with("overtaken-")) kept = support::read_file(entry.path());
  EXPECT_EQ(kept, document.line + "\n");
  EXPECT_NE(registries_.back()->exposition().find("frond_indexer_set_aside_changes_total 1"), std::string::npos);
}

// What can't be renamed is emptied, its name in the file system stays if it must.
TEST(ACollectionsFolder, IsEmptiedButForWhatTheFileSystemNeeds) {
  support::ScratchFolder folder;
  const fs::path c = folder / "c";
  fs::create_directories(c / "lost+found");
  leave(c, true);
  support::write_file(c / "CURRENT", "1\n");
  ASSERT_TRUE(empty_collection_folder(c));
  EXPECT_EQ(std::distance(fs::directory_iterator(c), fs::directory_iterator()), 1);
  EXPECT_TRUE(expect_room_for_collection(c));
}

}  // namespace
}  // namespace frond::indexer::write
