// Whatever a log's end looks like, and what its disk does: no change that was acknowledged is missed unnoticed.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include <rocksdb/db.h>

#include "indexer/write/log_head.h"
#include "indexer/write/log_keys.h"
#include "tests/unit/indexer/write/operation_log_fixture.h"

namespace frond::indexer::write {
namespace {

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
  const LogHead head{"0123456789abcdef", kMaxSequence, 12, 7, true};
  const std::string text = to_text(head);
  EXPECT_EQ(log_head_from_text(text), head);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string wrong = text;
    wrong[i] ^= 1;
    EXPECT_EQ(log_head_from_text(wrong), Code::kCorrupt) << i;
    EXPECT_EQ(log_head_from_text(text.substr(0, i)), Code::kCorrupt);
  }
}
TEST(LogHead, HasNoNumberThatNoLogComesTo) {
  for (const Sequence number : {kMaxSequence + 1, ~Sequence{0}})
    for (const LogHead& head :
         {LogHead{"0123456789abcdef", number, 0, 0, true}, LogHead{"0123456789abcdef", 1, number, 0, true},
          LogHead{"0123456789abcdef", 1, 0, number, true}})
      EXPECT_EQ(log_head_from_text(to_text(head)), Code::kCorrupt);
}
// The next number would be small again, and what it names forgotten.
TEST_F(OperationLogTest, IsDamagedWhereANumberIsThatNoLogComesTo) {
  for (const Sequence number : {kMaxSequence + 1, ~Sequence{0}}) {
    const auto opened = OperationLog::open(folder.path() / "log", {"", number});
    ASSERT_EQ(opened, Code::kCorrupt);
    EXPECT_NE(opened.error().message().find(std::to_string(number)), std::string::npos);
    for (const std::string& key : {numbered(kOperation, number), std::string(kForgotten)}) {
      open();
      log.reset();
      const bool forgets = key == kForgotten;
      rocksdb::DB* db = nullptr;
      ASSERT_TRUE(rocksdb::DB::Open(log_options(), (folder.path() / "log").string(), &db).ok());
      ASSERT_TRUE(db->Put({}, key, forgets ? numbered('n', number) : std::string(8, '\0')).ok());
      delete db;
      EXPECT_EQ(OperationLog::open(folder.path() / "log", {}), Code::kCorrupt);
      std::filesystem::remove_all(folder.path() / "log");
      std::filesystem::remove(log_head_path(folder.path() / "log"));
    }
  }
}

}  // namespace
}  // namespace frond::indexer::write
