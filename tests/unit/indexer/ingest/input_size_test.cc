#include "indexer/ingest/files/input_list.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace frond::indexer::ingest {
namespace {

using Inputs = std::vector<std::filesystem::path>;

TEST(InputSize, IsTheSumOfPlainFiles) {
  const support::ScratchFolder folder;
  std::filesystem::create_directories(folder / "texts" / "more");
  support::write_file(folder / "texts" / "a", std::string(600, 'a'));
  support::write_file(folder / "texts" / "more" / "b", std::string(400, 'b'));
  support::write_file(folder / "texts" / ".hidden", std::string(5000, 'c'));
  support::write_file(folder / "one", std::string(24, 'd'));
  const Inputs inputs = {folder / "texts", folder / "one"};
  EXPECT_FALSE(may_exceed(inputs, /*hidden=*/false, 1024));
  EXPECT_TRUE(may_exceed(inputs, /*hidden=*/false, 1023));
  EXPECT_TRUE(may_exceed(inputs, /*hidden=*/true, 1024));
  EXPECT_FALSE(may_exceed({}, /*hidden=*/false, 0));
}

TEST(InputSize, TakesCompressedFilesForMuchMore) {
  const support::ScratchFolder folder;
  support::write_file(folder / "text.gz", "\x1f\x8b\x08" + std::string(97, 'x'));
  EXPECT_TRUE(may_exceed(Inputs{folder / "text.gz"}, false, 9'999));
  EXPECT_FALSE(may_exceed(Inputs{folder / "text.gz"}, false, 10'000));
}

TEST(InputSize, IsNotKnownOfPipesAndOfWhatIsNotThere) {
  const support::ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(may_exceed(Inputs{folder / "pipe"}, false, ~std::uint64_t{0}));
  EXPECT_TRUE(may_exceed(Inputs{folder / "nothing"}, false, ~std::uint64_t{0}));
}

}  // namespace
}  // namespace frond::indexer::ingest
