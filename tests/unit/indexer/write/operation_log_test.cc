// What is appended is there after the log is opened again, once, in order.
#include "indexer/write/operation_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "indexer/write/log_head.h"
#include "tests/unit/indexer/write/operation_log_fixture.h"

namespace frond::indexer::write {
namespace {

using namespace std::string_literals;

TEST_F(OperationLogTest, KeepsWhatWasAppended) {
  open();
  EXPECT_EQ(append({{"a", "{}"}, {"b", ""}})->last, 2u);
  EXPECT_EQ(append({{"a\nid with\0 bytes"s, std::string(1 << 20, 'x')}})->last, 3u);
  for (int i = 0; i < 2; ++i) {
    const auto taken = log->read(0, kMuch);
    ASSERT_TRUE(taken);
    EXPECT_EQ(ids_of(*taken), (Texts{"a+", "b-", "a\nid with\0 bytes+"s}));
    EXPECT_EQ(taken->operations[2].line.size(), std::size_t{1} << 20);
    EXPECT_EQ(taken->last, 3u);
    EXPECT_EQ(log->operations(), 3u);
    EXPECT_EQ(log->bytes(), taken->bytes);
    open();
  }
}
TEST_F(OperationLogTest, WritesNothingOfTheRequestBefore) {
  open();
  const std::string large(3 << 20, 'x');  // more than a thread keeps room for
  append({{"a", "1"}, {"b", "2"}}).value();
  append({{"c", large}}).value();
  append({{"d", "4"}}).value();
  const auto taken = log->read(0, kMuch);
  ASSERT_TRUE(taken);
  EXPECT_EQ(ids_of(*taken), (Texts{"a+", "b+", "c+", "d+"}));
  EXPECT_EQ(taken->operations[2].line, large);
  EXPECT_EQ(taken->operations[3].line, "4");
}
TEST_F(OperationLogTest, TellsThatItHasAChangeOnceThatIsSynced) {
  open();
  const auto told = [&] { return read_log_head(log_head_path(folder.path() / "log")).value()->last; };
  const std::vector<Operation> first{{"a", "{}"}}, second{{"b", "{}"}};
  const auto written = log->write(first, {}, kMuch);
  ASSERT_TRUE(written);
  EXPECT_EQ(ids_of(*log->read(0, kMuch)), Texts{"a+"});
  EXPECT_EQ(told(), 0u);
  ASSERT_TRUE(log->append(second, {}, kMuch)) << "others go on meanwhile";
  EXPECT_EQ(told(), 2u);
  ASSERT_TRUE(log->sync(*written));
  EXPECT_EQ(told(), 2u) << "never backwards";
}
// To RocksDB a file that may not grow is what a disk with EIO is: after it it takes nothing until it is opened again.
TEST_F(OperationLogTest, GivesSoMuchAndAtLeastOne) {
  open();
  append({{"a", "1234"}, {"b", "1234"}, {"c", "1234"}}).value();
  EXPECT_EQ(ids_of(*log->read(0, 10 + 2 * Operation::kOwnBytes)), (Texts{"a+", "b+"}));
  EXPECT_EQ(ids_of(*log->read(1, 1)), Texts{"b+"});
  EXPECT_EQ(log->read(3, 10)->operations.size(), 0u);
}
TEST_F(OperationLogTest, ForgetsWhatIsPublishedAndNeverCountsBackwards) {
  open();
  append({{"a", "1"}, {"b", "1"}, {"c", "1"}}).value();
  ASSERT_TRUE(log->forget(*log->read(0, 4 + 2 * Operation::kOwnBytes)));  // a and b
  EXPECT_EQ(log->operations(), 1u);
  open();
  EXPECT_EQ(ids_of(*log->read(0, kMuch)), Texts{"c+"});
  EXPECT_EQ(log->last(), 3u);
  open(3);  // the generation says that c is in it
  EXPECT_EQ(log->operations(), 0u);
  EXPECT_EQ(log->bytes(), 0u);
  EXPECT_EQ(append({{"d", "1"}})->last, 4u);
  ASSERT_TRUE(log->forget(*log->read(0, kMuch)));
  open(2);  // after a rollback
  EXPECT_EQ(append({{"e", "1"}})->last, 5u);
  open(9);  // operations that were not synced are in the generation
  EXPECT_EQ(append({{"f", "1"}})->last, 10u);
}
TEST_F(OperationLogTest, ForgetsNothingForAGenerationOfAnotherLog) {
  open();
  const std::string own = log->id();
  append({{"a", "1"}, {"b", "1"}}).value();
  open(7, "another");
  EXPECT_EQ(log->id(), own);
  EXPECT_EQ(ids_of(*log->read(0, kMuch)), (Texts{"a+", "b+"}));
  EXPECT_EQ(append({{"c", "1"}})->last, 8u);
  open(8, own);
  EXPECT_EQ(log->operations(), 0u);
}
TEST_F(OperationLogTest, WhatIsSetAsideIsInAFileAndNotInTheLog) {
  open();
  ASSERT_TRUE(log->set_aside(folder.path() / "none"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "none"));
  append({{"a", R"({"id":"a"})"}, {"b", ""}}).value();
  ASSERT_TRUE(log->set_aside(folder.path() / "aside"));
  std::ifstream in(folder.path() / "aside");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "{\"id\":\"a\"}\n{\"removed\":\"b\"}\n");
  EXPECT_EQ(log->operations(), 0u);
  open();
  EXPECT_EQ(log->operations(), 0u);
  EXPECT_EQ(append({{"c", "1"}})->last, 3u);
}
TEST_F(OperationLogTest, OneAtATimeHasItOpen) {
  open();
  EXPECT_EQ(OperationLog::open(folder.path() / "log", {}), Code::kOverloaded);
}
TEST_F(OperationLogTest, ARequestThatComesAgainChangesNothing) {
  open();
  EXPECT_EQ(append({{"a", "1"}}, RequestMark{"key", "body"})->last, 1u);
  append({{"b", "1"}}).value();
  open();
  const auto again = append({{"a", "1"}}, RequestMark{"key", "body"});
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(again->last, 1u);
  EXPECT_EQ(log->last(), 2u);
  EXPECT_EQ(append({{"a", "2"}}, RequestMark{"key", "other"}), Code::kInvalid);
  EXPECT_FALSE(append({{"a", "1"}}, RequestMark{"keys", "body"})->repeated);
}
TEST_F(OperationLogTest, TheOldestMarksAreForgotten) {
  open();
  for (std::uint64_t i = 0; i <= kKeptKeys; ++i) append({{"a", "1"}}, RequestMark{std::to_string(i), "b"}).value();
  open();
  EXPECT_TRUE(append({{"a", "1"}}, RequestMark{"1", "b"})->repeated);
  EXPECT_FALSE(append({{"a", "1"}}, RequestMark{"0", "b"})->repeated);
  EXPECT_FALSE(append({{"a", "1"}}, RequestMark{"1", "b"})->repeated);  // gone by the one before
}
TEST_F(OperationLogTest, WhatWaitsIsBounded) {
  open();
  EXPECT_TRUE(append({{"a", std::string(1000, 'x')}}, {}, 100));  // else it could never be written
  EXPECT_EQ(append({{"b", "1"}}, {}, 100), Code::kOverloaded);
  EXPECT_EQ(log->last(), 1u);
}
TEST_F(OperationLogTest, NotesTheEpochThatItIsUsedIn) {
  open();
  EXPECT_EQ(log->epoch(), 0u);
  ASSERT_TRUE(log->set_epoch(std::uint64_t{1} << 50));
  open();
  EXPECT_EQ(log->epoch(), std::uint64_t{1} << 50);
}
TEST_F(OperationLogTest, TakesARequestThatComesAgainAfterItsKeysAreForgotten) {
  open();
  const RequestMark mark{"key", "body"};
  EXPECT_EQ(append({{"a", "{}"}}, mark)->last, 1u);
  ASSERT_TRUE(log->set_settings("{}"));
  ASSERT_TRUE(log->set_aside(folder / "aside"));
  ASSERT_TRUE(log->forget_keys());
  open();
  EXPECT_EQ(log->settings(), std::string("{}"));
  EXPECT_FALSE(append({{"a", "{}"}}, mark)->repeated);
  EXPECT_TRUE(append({{"a", "{}"}}, mark)->repeated);
  EXPECT_EQ(log->last(), 2u);
}
TEST_F(OperationLogTest, SettingsStay) {
  open();
  EXPECT_EQ(*log->settings(), "");
  ASSERT_TRUE(log->set_settings("{}"));
  open();
  EXPECT_EQ(*log->settings(), "{}");
}
TEST_F(OperationLogTest, ManyThreadsAppendWithoutGaps) {
  open();
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([this, t] {
        for (int i = 0; i < 50; ++i) append({{std::to_string(t), "1"}, {std::to_string(i), ""}}).value();
      });
  }
  const auto taken = log->read(0, kMuch);
  EXPECT_EQ(taken->operations.size(), 400u);
  EXPECT_EQ(taken->last, 400u);
  EXPECT_EQ(log->last(), 400u);
}

// RocksDB tells of a held lock in words only, and names the path.
TEST_F(OperationLogTest, InAFolderWithAnyNameIsHeldOnlyByALock) {
  const auto place = folder.path() / "blocks";
  support::write_file(place, "no folder");
  EXPECT_EQ(OperationLog::open(place / "log", {}), Code::kUnavailable);
  std::filesystem::remove(place);
  std::filesystem::create_directory(place);
  const auto first = OperationLog::open(place / "log", {});
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(OperationLog::open(place / "log", {}), Code::kOverloaded);
}

}  // namespace
}  // namespace frond::indexer::write
