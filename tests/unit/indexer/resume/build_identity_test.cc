// What makes a build another one.
#include "indexer/resume/build_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>

#include "tests/support/scratch_folder.h"

namespace frond::indexer::resume {
namespace {

using support::ScratchFolder;

TEST(BuildIdentity, NamesTheFirstDifference) {
  const BuildIdentity before{"1.0 ab", {{"--stemmer", "porter"}, {"--b", "0.4"}}, {2, 30, "x"}};
  EXPECT_EQ(difference(before, before), "");
  BuildIdentity now = before;
  now.options[1].second = "0.5";
  EXPECT_EQ(difference(before, now), "--b was 0.4, and is 0.5 now");
  now = before;
  now.program = "1.1 cd";
  EXPECT_EQ(difference(before, now), "it was built by 1.0 ab, and this is 1.1 cd");
  now = before;
  now.input.bytes = 31;
  EXPECT_EQ(difference(before, now), "the input was 2 files of 30 bytes, and is 2 files of 31 bytes now");
  now = before;
  now.input.xxh3 = "y";
  EXPECT_EQ(difference(before, now), "an input file was renamed, or changed since");
  now = before;
  now.options.emplace_back("--more", "1");
  EXPECT_EQ(difference(before, now), "--more is new");
  EXPECT_EQ(difference(now, before), "it had other options");
}

TEST(BuildIdentity, IsOfThisProgramAlone) {
  EXPECT_GE(this_program().value_or("").size(), 20u) << "no checksum of the program";
}

TEST(BuildIdentity, NoticesEveryChangeOfTheInput) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "in");
  support::write_file(folder / "in/a", "text");
  support::write_file(folder / "in/b", "more");
  const std::filesystem::path inputs[] = {folder / "in"};
  const auto first = input_identity(inputs, false);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->files, 2u);
  EXPECT_EQ(first->bytes, 8u);
  EXPECT_EQ(input_identity(inputs, false), first);
  using namespace std::chrono_literals;
  std::filesystem::last_write_time(folder / "in/a", std::filesystem::last_write_time(folder / "in/a") + 1s);
  const auto touched = input_identity(inputs, false);
  EXPECT_NE(touched, first);
  std::filesystem::rename(folder / "in/b", folder / "in/c");
  const auto renamed = input_identity(inputs, false);
  EXPECT_NE(renamed, touched);
  support::write_file(folder / "in/d", "");
  EXPECT_NE(input_identity(inputs, false), renamed);
}

TEST(BuildIdentity, HasNoneForAPipe) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const std::filesystem::path inputs[] = {folder / "pipe"};
  EXPECT_FALSE(input_identity(inputs, false));
}

}  // namespace
}  // namespace frond::indexer::resume
