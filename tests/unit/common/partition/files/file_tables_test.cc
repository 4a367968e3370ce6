#include "common/partition/files/file_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <thread>

#include "common/partition/files/mapped_file_system.h"
#include "common/partition/files/rocks.h"
#include "common/partition/files/sst_table.h"
#include "tests/support/scratch_folder.h"

namespace frond::partition {
namespace {

// Keys "000", "003", … in files of a few entries each.
class TablesOfSeveralFiles : public testing::Test {
 protected:
  static constexpr int kKeys = 200;

  void SetUp() override {
    SstTable table(folder_.path(), stem_of(Family::kTerms), /*file_bytes=*/1);
    for (int i = 0; i < kKeys; ++i) {
      const std::string value = "value of " + key(3 * i) + std::string(5000, '.');
      ASSERT_TRUE(table.put(key(3 * i), as_bytes(value)));
    }
    files_ = table.finish().value();
    ASSERT_GT(files_.size(), 5u);
  }
  static std::string key(int number) {
    const std::string digits = std::to_string(number);
    return std::string(3 - digits.size(), '0') + digits;
  }

  support::ScratchFolder folder_;
  std::vector<PartitionFile> files_;
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(std::make_shared<MappedFileSystem>());
};

TEST_F(TablesOfSeveralFiles, FindEachKeyAndNoOther) {
  FileTables tables(folder_.path(), files_, *env_);
  for (int number = 3 * kKeys; number >= 0; --number) {
    rocksdb::PinnableSlice value;
    const auto status = tables.get(Family::kTerms, key(number), value);
    if (number % 3 == 0 && number < 3 * kKeys) {
      ASSERT_TRUE(status.ok()) << status.ToString();
      EXPECT_EQ(value.ToString().substr(0, 12), "value of " + key(number));
    } else {
      EXPECT_TRUE(status.IsNotFound()) << number;
    }
  }
  rocksdb::PinnableSlice value;
  EXPECT_TRUE(tables.get(Family::kTerms, "", value).IsNotFound());
  EXPECT_TRUE(tables.get(Family::kIds, "000", value).IsNotFound());
}

TEST_F(TablesOfSeveralFiles, AreWalkedInBothDirections) {
  FileTables tables(folder_.path(), files_, *env_);
  const auto at = tables.iterator(Family::kTerms);
  int next = 0;
  for (at->SeekToFirst(); at->Valid(); at->Next(), next += 3) ASSERT_EQ(at->key().ToString(), key(next));
  EXPECT_EQ(next, 3 * kKeys);
  for (at->SeekToLast(); at->Valid(); at->Prev()) ASSERT_EQ(at->key().ToString(), key(next -= 3));
  EXPECT_EQ(next, 0);
  EXPECT_TRUE(at->status().ok());
}

TEST_F(TablesOfSeveralFiles, SeekBetweenKeys) {
  FileTables tables(folder_.path(), files_, *env_);
  const auto at = tables.iterator(Family::kTerms);
  for (int number = 0; number < 3 * kKeys - 3; ++number) {
    at->Seek(key(number));
    ASSERT_TRUE(at->Valid());
    ASSERT_EQ(at->key().ToString(), key((number + 2) / 3 * 3));
    at->SeekForPrev(key(number));
    ASSERT_TRUE(at->Valid());
    ASSERT_EQ(at->key().ToString(), key(number / 3 * 3));
  }
  at->Seek("z");
  EXPECT_FALSE(at->Valid());
  at->SeekForPrev("");
  EXPECT_FALSE(at->Valid());
  EXPECT_TRUE(at->status().ok());
}

TEST_F(TablesOfSeveralFiles, FindEachKeyInWhateverOrderTheFilesAreNamedOnceAllAreOpen) {
  std::ranges::reverse(files_);
  FileTables tables(folder_.path(), files_, *env_);
  ASSERT_TRUE(tables.open_all().ok());
  for (int number = 0; number < kKeys; ++number) {
    rocksdb::PinnableSlice value;
    EXPECT_TRUE(tables.get(Family::kTerms, key(3 * number), value).ok()) << number;
  }
  EXPECT_TRUE(tables.verify_checksums().ok());
  support::flip_byte(folder_.path() / files_[3].name, 40);
  EXPECT_TRUE(tables.verify_checksums().IsCorruption());
}

TEST_F(TablesOfSeveralFiles, AreReadByManyThreadsOnceAllAreOpen) {
  FileTables tables(folder_.path(), files_, *env_);
  ASSERT_TRUE(tables.open_all().ok());
  std::vector<std::jthread> threads;
  for (int first = 0; first < 4; ++first)
    threads.emplace_back([&, first] {
      for (int number = first; number < kKeys; number += 4) {
        rocksdb::PinnableSlice value;
        EXPECT_TRUE(tables.get(Family::kTerms, key(3 * number), value).ok()) << number;
        EXPECT_EQ(value.ToString().substr(0, 12), "value of " + key(3 * number));
      }
      const auto at = tables.iterator(Family::kTerms);
      int next = 0;
      for (at->SeekToFirst(); at->Valid(); at->Next(), next += 3) ASSERT_EQ(at->key().ToString(), key(next));
      EXPECT_EQ(next, 3 * kKeys);
    });
}

// A publication reads the terms of hundreds of partitions at once.
TEST_F(TablesOfSeveralFiles, AreOpenOneAtATimeForWhoeverReadsThemOnce) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  FileTables tables(folder_.path(), files_, *rocksdb::Env::Default(), FileReads::kBuffered);
  const auto at = tables.iterator(Family::kTerms);
  const auto before = descriptors();
  for (const bool forward : {true, false}) {
    int seen = 0;
    for (forward ? at->SeekToFirst() : at->SeekToLast(); at->Valid(); forward ? at->Next() : at->Prev(), ++seen)
      ASSERT_LE(descriptors(), before + 1);
    EXPECT_EQ(seen, kKeys);
  }
  EXPECT_TRUE(at->status().ok());
}

TEST_F(TablesOfSeveralFiles, RefuseAFileOfAnotherSize) {
  files_[2].bytes += 1;
  FileTables tables(folder_.path(), files_, *env_);
  const auto at = tables.iterator(Family::kTerms);
  at->SeekToFirst();
  while (at->Valid()) at->Next();
  EXPECT_TRUE(at->status().IsCorruption());
  EXPECT_NE(at->status().ToString().find(files_[2].name), std::string::npos);
}

}  // namespace
}  // namespace frond::partition
