// What is appended is there after the log is opened again, once, in order, whatever its end looks like.
#include "indexer/write/operation_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

#include "indexer/write/log_head.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::write {
namespace {

using namespace std::string_literals;

constexpr std::uint64_t kMuch = std::uint64_t{1} << 30;

std::vector<std::string> ids_of(const OperationLog::Taken& taken) {
  std::vector<std::string> ids;
  for (const Operation& operation : taken.operations) ids.push_back(operation.id + (operation.removes() ? "-" : "+"));
  return ids;
}
using Texts = std::vector<std::string>;

class OperationLogTest : public ::testing::Test {
 protected:
  void open(Sequence published = 0, const std::string& log_id = "") {
    log.reset();
    auto opened = OperationLog::open(folder.path() / "log", {log_id, published});
    ASSERT_TRUE(opened) << opened.error().message();
    log = *std::move(opened);
  }
  Result<Appended> append(std::initializer_list<Operation> operations, const std::optional<RequestMark>& mark = {},
                          std::uint64_t max = kMuch) {
    return log->append(std::vector<Operation>(operations), mark, max);
  }
  // In the order of their names, so the newest of the write-ahead logs is the last one that ends in .log.
  std::vector<std::filesystem::path> files_of(const char* name) {
    std::vector<std::filesystem::path> all;
    for (const auto& file : std::filesystem::directory_iterator(folder.path() / name)) all.push_back(file.path());
    std::ranges::sort(all, {}, [](const auto& path) { return std::pair(path.extension() == ".log", path); });
    return all;
  }
  static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::filesystem::path& file, const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
  }
  support::ScratchFolder folder;
  std::unique_ptr<OperationLog> log;
};

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
TEST_F(OperationLogTest, SaysWhatMayBeInItThoughItFailed) {
  open();
  rlimit usual;
  getrlimit(RLIMIT_FSIZE, &usual);
  const rlimit nothing{0, usual.rlim_max};  // no file may grow
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &nothing);
  const auto failed = append({{"b", "{}"}});
  setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, before);
  EXPECT_NE(failed.error().message().find(kMayBeAccepted), std::string::npos);
}
// To RocksDB a file that may not grow is what a disk with EIO is: after it it takes nothing until it is opened again.
TEST_F(OperationLogTest, GoesOnByItselfWhenTheDiskIsWellAgain) {
  open();
  append({{"a", "1"}}).value();
  rlimit usual;
  getrlimit(RLIMIT_FSIZE, &usual);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  for (int i = 0; i < 3; ++i) {
    const rlimit full{40, usual.rlim_max};
    setrlimit(RLIMIT_FSIZE, &full);
    for (int again = 0; again < 2; ++again) EXPECT_FALSE(append({{"lost", std::string(100, 'x')}}));
    setrlimit(RLIMIT_FSIZE, &usual);
    const auto appended = append({{"b", "1"}});
    ASSERT_TRUE(appended) << appended.error().message();
    EXPECT_EQ(appended->last, 2u + static_cast<Sequence>(i));
    EXPECT_EQ(log->operations(), 2u + static_cast<std::uint64_t>(i));
  }
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(ids_of(*log->read(0, kMuch)), (Texts{"a+", "b+", "b+", "b+"}));
  ASSERT_TRUE(log->forget(*log->read(0, kMuch)));
  open();
  EXPECT_EQ(log->last(), 4u);
  EXPECT_EQ(log->operations(), 0u);
}
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
TEST_F(OperationLogTest, ATornEndThatNobodyWasToldOfIsNoLoss) {
  open();
  append({{"a", "1"}}).value();
  const std::string head = read(log_head_path(folder.path() / "log"));
  append({{"b", std::string(5000, 'x')}}).value();
  log.reset();
  write(log_head_path(folder.path() / "log"), head);  // as if it had died before b was acknowledged
  const auto newest = files_of("log").back();
  std::filesystem::resize_file(newest, std::filesystem::file_size(newest) - 1000);
  open();
  EXPECT_EQ(ids_of(*log->read(0, kMuch)), Texts{"a+"});
  EXPECT_EQ(append({{"c", "1"}})->last, 2u);
}
TEST_F(OperationLogTest, EveryCutThatLosesAnAcknowledgedChangeIsFound) {
  open();
  ASSERT_TRUE(log->set_settings("{}"));
  for (int i = 0; i < 20; ++i) append({{std::to_string(i), std::string(50, 'x')}}).value();
  log.reset();
  const auto newest = files_of("log").back();
  const std::string whole = read(newest);
  const std::size_t used = whole.find_last_not_of('\0') + 1;
  for (std::size_t size = 0; size < used; size += 1 + size / 100) {
    write(newest, whole.substr(0, size));
    const auto opened = OperationLog::open(folder.path() / "log", {});
    ASSERT_EQ(opened, Code::kCorrupt) << size << " of " << used << " bytes";
    EXPECT_NE(opened.error().message().find("20"), std::string::npos) << opened.error().message();
  }
  write(newest, whole);  // nothing was changed by looking
  open();
  EXPECT_EQ(log->operations(), 20u);
  EXPECT_EQ(*log->settings(), "{}");
}
TEST_F(OperationLogTest, EveryFileThatIsGoneOrEmptyIsMissed) {
  open();
  for (int i = 0; i < 12; ++i) append({{std::to_string(i), std::string(1 << 20, static_cast<char>('a' + i))}}).value();
  log.reset();
  for (const auto& file : files_of("log")) {
    const std::string name = file.filename(), content = read(file);
    if (name == "LOCK" || name == "IDENTITY" || name.starts_with("OPTIONS") || content.empty()) continue;
    for (const bool empty : {false, true}) {
      empty ? write(file, "") : static_cast<void>(std::filesystem::remove(file));
      EXPECT_EQ(OperationLog::open(folder.path() / "log", {}), Code::kCorrupt) << name << (empty ? " empty" : " gone");
    }
    write(file, content);
  }
  std::filesystem::rename(folder.path() / "log", folder.path() / "away");
  EXPECT_EQ(OperationLog::open(folder.path() / "log", {}), Code::kCorrupt);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "log"));
  std::filesystem::rename(folder.path() / "away", folder.path() / "log");
  open();
  EXPECT_EQ(log->operations(), 12u);
}
TEST_F(OperationLogTest, AnOlderCopyIsMissingWhatCameSince) {
  open();
  append({{"a", "1"}}).value();
  log.reset();
  std::filesystem::copy(folder.path() / "log", folder.path() / "copy");
  open();
  append({{"b", "1"}, {"c", "1"}}).value();
  const auto swap = [&] {
    log.reset();
    std::filesystem::remove_all(folder.path() / "log");
    std::filesystem::copy(folder.path() / "copy", folder.path() / "log");
  };
  swap();
  const auto opened = OperationLog::open(folder.path() / "log", {});
  ASSERT_EQ(opened, Code::kCorrupt);
  EXPECT_NE(opened.error().message().find("2 acknowledged changes are missing: 2 to 3"), std::string::npos)
      << opened.error().message();
  open(3);  // all of them are in the generation
  EXPECT_TRUE(log->was_shortened());
  EXPECT_EQ(log->operations(), 0u);
  EXPECT_EQ(append({{"d", "1"}})->last, 4u);
}
TEST_F(OperationLogTest, WhatIsLostIsGivenUpOnce) {
  open();
  for (int i = 0; i < 3; ++i) append({{std::to_string(i), "1"}}).value();
  log.reset();
  open();
  for (int i = 3; i < 9; ++i) append({{std::to_string(i), "1"}}).value();
  log.reset();
  const auto last = files_of("log").back();
  std::filesystem::remove(last);
  ASSERT_EQ(OperationLog::open(folder.path() / "log", {}), Code::kCorrupt);
  const auto loss = accept_loss(folder.path() / "log", {});
  ASSERT_TRUE(loss) << loss.error().message();
  EXPECT_EQ(loss->text(), "6 acknowledged changes are missing: 4 to 9");
  EXPECT_FALSE(accept_loss(folder.path() / "log", {})->any());
  open();
  EXPECT_EQ(log->published(), 0u);
  EXPECT_EQ(append({{"new", "1"}})->last, 10u);
  const auto taken = log->read(log->published(), kMuch);
  EXPECT_EQ(ids_of(*taken), (Texts{"0+", "1+", "2+", "new+"}));
  EXPECT_EQ(taken->last, 10u);
  log.reset();
  std::filesystem::remove(files_of("log").back());  // the next loss is another one
  const auto again = OperationLog::open(folder.path() / "log", {});
  ASSERT_EQ(again, Code::kCorrupt);
  EXPECT_NE(again.error().message().find(": 10"), std::string::npos) << again.error().message();
}
TEST_F(OperationLogTest, ALogThatCantBeReadIsMovedAwayWhenItIsGivenUp) {
  open();
  append({{"a", "1"}, {"b", "1"}}).value();
  log.reset();
  write(folder.path() / "log/CURRENT", "MANIFEST-none\n");
  EXPECT_EQ(OperationLog::open(folder.path() / "log", {}), Code::kCorrupt);
  const auto loss = accept_loss(folder.path() / "log", {});
  ASSERT_TRUE(loss) << loss.error().message();
  EXPECT_EQ(loss->changes, 2u);
  open();
  EXPECT_EQ(append({{"c", "1"}})->last, 3u);
  EXPECT_EQ(ids_of(*log->read(log->published(), kMuch)), Texts{"c+"});
}
TEST_F(OperationLogTest, AHeadThatCantBeReadIsMovedAwayWhenItIsGivenUp) {
  open();
  ASSERT_TRUE(append({{"a", "1"}}));
  log.reset();
  std::ofstream(log_head_path(folder.path() / "log")) << "nonsense";
  EXPECT_EQ(OperationLog::open(folder.path() / "log", {}), Code::kCorrupt);
  const auto loss = accept_loss(folder.path() / "log", {});
  ASSERT_TRUE(loss) << loss.error().message();
  EXPECT_TRUE(loss->any());
  EXPECT_NE(loss->text().find("nobody knows what is missing"), std::string::npos) << loss->text();
  open();
  EXPECT_EQ(log->operations(), 1u) << "what the log has is there";
}

TEST_F(OperationLogTest, APipeInItIsGivenUpWithoutWaiting) {
  open();
  ASSERT_TRUE(append({{"a", "1"}}));
  log.reset();
  std::filesystem::remove(folder.path() / "log" / "CURRENT");
  ASSERT_EQ(::mkfifo((folder.path() / "log" / "CURRENT").c_str(), 0600), 0);
  const auto loss = accept_loss(folder.path() / "log", {});
  ASSERT_TRUE(loss) << loss.error().message();
  EXPECT_NE(loss->text().find("is no file"), std::string::npos) << loss->text();
}

TEST_F(OperationLogTest, WaitsForNoPipe) {
  open();
  log.reset();
  std::filesystem::remove(folder.path() / "log/CURRENT");
  ASSERT_EQ(::mkfifo((folder.path() / "log/CURRENT").c_str(), 0600), 0);
  EXPECT_EQ(OperationLog::open(folder.path() / "log", {}), Code::kCorrupt);
}
TEST_F(OperationLogTest, ALogOfBeforeItHadAHeadGetsOne) {
  open();
  append({{"a", "1"}}).value();
  log.reset();
  std::filesystem::remove(log_head_path(folder.path() / "log"));
  open();
  EXPECT_EQ(log->operations(), 1u);
  EXPECT_EQ((*read_log_head(log_head_path(folder.path() / "log")))->last, 1u);
}
TEST(LogHead, IsReadBackAndEveryChangeOfItIsSeen) {
  const LogHead head{"0123456789abcdef", ~Sequence{0}, 12, 7, true};
  const std::string text = to_text(head);
  EXPECT_EQ(log_head_from_text(text), head);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string wrong = text;
    wrong[i] ^= 1;
    EXPECT_EQ(log_head_from_text(wrong), Code::kCorrupt) << i;
    EXPECT_EQ(log_head_from_text(text.substr(0, i)), Code::kCorrupt);
  }
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
