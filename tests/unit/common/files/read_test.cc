#include "common/files/read.h"

#include <fcntl.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/files/write.h"
#include "tests/support/scratch_folder.h"

namespace frond::files {
namespace {

class ReadingAFile : public testing::Test {
 protected:
  ReadingAFile() {
    for (std::size_t i = 0; i < 600'000; ++i) text_ += static_cast<char>('a' + i % 23);
    EXPECT_TRUE(write_file(path_, text_));
  }
  support::ScratchFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "a";
  std::string text_;
};

TEST_F(ReadingAFile, GivesAllOfItInPieces) {
  std::string got;
  int pieces = 0;
  ASSERT_TRUE(read_file(path_, [&](ByteView piece) -> Result<void> {
    ++pieces;
    got += as_text(piece);
    return {};
  }));
  EXPECT_EQ(got, text_);
  EXPECT_GE(pieces, 3);
}

TEST_F(ReadingAFile, BeginsWhereAskedTo) {
  std::string got;
  ASSERT_TRUE(read_file(
      path_,
      [&](ByteView piece) -> Result<void> {
        got += as_text(piece);
        return {};
      },
      599'990));
  EXPECT_EQ(got, text_.substr(599'990));
}

TEST_F(ReadingAFile, StopsAtTheSinksFirstError) {
  int pieces = 0;
  const auto done = read_file(path_, [&](ByteView) -> Result<void> {
    ++pieces;
    return Error(Code::kCorrupt, "enough");
  });
  EXPECT_EQ(done.error().code(), Code::kCorrupt);
  EXPECT_EQ(pieces, 1);
}

TEST_F(ReadingAFile, IntoATextIsBounded) {
  EXPECT_EQ(read_text(path_, text_.size()), text_);
  EXPECT_EQ(read_text(path_, text_.size() - 1), Code::kCorrupt);
  EXPECT_EQ(read_text(folder_.path() / "none", 10), Code::kNotFound);
  EXPECT_EQ(read_text(folder_.path(), 10), Code::kUnavailable) << "a folder has no text";
}

TEST_F(ReadingAFile, AtAPlaceEndsWithTheFile) {
  const Descriptor file = open(path_, O_RDONLY).value();
  EXPECT_EQ(size_of(file, path_), text_.size());
  std::vector<std::byte> out(100);
  EXPECT_EQ(read_at(file, 1000, out, path_), 100u);
  EXPECT_EQ(as_text(out), text_.substr(1000, 100));
  EXPECT_EQ(read_at(file, text_.size() - 30, out, path_), 30u);
  EXPECT_EQ(read_at(file, text_.size() + 30, out, path_), 0u);
}

TEST(ReadingAFolder, TellsWhatIsInItOrWhyItCannot) {
  const support::ScratchFolder folder;
  EXPECT_TRUE(write_file(folder.path() / "file", "x"));
  EXPECT_EQ(entries_of(folder.path()), std::vector{folder.path() / "file"});
  EXPECT_EQ(entries_of(folder.path() / "none"), Code::kNotFound);
  EXPECT_EQ(entries_of(folder.path() / "file"), Code::kUnavailable) << "it is no empty folder";
  EXPECT_TRUE(some_entries_of(folder.path() / "file").empty());
}

}  // namespace
}  // namespace frond::files
