// Which paths lead to files, and that none leads out of a repository.
#include "indexer/serve/served_repository.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace frond::indexer::serve {
namespace {

std::string path_of(std::string_view request) {
  const auto file = served_file(request);
  return file ? "/r/" + file->path : "";
}

TEST(RepositoryFiles, ArePublishedOnes) {
  EXPECT_EQ(path_of("/repository/c/CURRENT"), "/r/c/CURRENT");
  EXPECT_EQ(path_of("/repository/c/generations/12.json"), "/r/c/generations/12.json");
  EXPECT_EQ(path_of("/repository/c/generations/12.terms.sst"), "/r/c/generations/12.terms.sst");
  EXPECT_EQ(path_of("/repository/c/partitions/g1-p0-ab/lists.sst"), "/r/c/partitions/g1-p0-ab/lists.sst");
}
TEST(RepositoryFiles, AreNoOthers) {
  for (const char* path : {"",
                           "/",
                           "/repository",
                           "/repository/",
                           "/repository/c",
                           "/repository/c/",
                           "/repository/c/LOCK",
                           "/repository/c/HIGHEST",
                           "/repository/c/building/x",
                           "/repository/c/generations",
                           "/repository/c/generations/",
                           "/repository/c/partitions/x",
                           "/repository/c/partitions/x/y/z",
                           "/repository/c/partitions/../CURRENT",
                           "/repository/../c/CURRENT",
                           "/repository/./CURRENT",
                           "/repository//CURRENT",
                           "/repository/c//CURRENT",
                           "/repository/.c/CURRENT",
                           "/repository/c/CURRENT/",
                           "/repository/c%2fx/CURRENT",
                           "/repository/c/current"})
    EXPECT_EQ(path_of(path), "") << path;
  EXPECT_EQ(path_of(std::string("/repository/c\0/CURRENT", 22)), "");
}
TEST(RepositoryFiles, AreInsideTheRepositoryWhateverIsAsked) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr std::string_view kPieces[] = {"/",           ".",       "..",  "c",  "partitions",
                                          "generations", "CURRENT", "%2e", "\\", "//"};
  for (int i = 0; i < 100'000; ++i) {
    std::string request = "/repository/";
    for (unsigned n = random() % 9; n > 0; --n) request += kPieces[random() % std::size(kPieces)];
    const std::string path = path_of(request);
    if (path.empty()) continue;
    ASSERT_EQ(path, "/r/" + request.substr(std::string_view("/repository/").size()));
    ASSERT_EQ(path.find("/."), path.npos) << request;
  }
}

}  // namespace
}  // namespace frond::indexer::serve
