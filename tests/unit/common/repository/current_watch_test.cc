// The promises of current_watch.h, over a folder and over servers that do and do not hold a GET.
#include "common/repository/current_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "common/repository/repository.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/scripted_http.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;
using News = CurrentWatch::News;
using support::ScriptedHttp;

void write_current(const fs::path& folder, int number) {
  std::ofstream(folder / "draft") << number << "\n";
  fs::rename(folder / "draft", folder / "CURRENT");
}

TEST(CurrentWatch, TellsOfAFolderWhoseCurrentIsReplaced) {
  const support::ScratchFolder root;
  const auto source = *RepositorySource::open(root.path().string(), "c");
  const auto watch = source->watch();
  EXPECT_EQ(watch->wait().error().code(), Code::kNotFound);  // there is no such collection yet
  fs::create_directory(root / "c");
  EXPECT_EQ(*watch->wait(), News::kChanged);
  write_current(root / "c", 1);
  EXPECT_EQ(*watch->wait(), News::kChanged);
  std::jthread later([&] { write_current(root / "c", 2); });
  EXPECT_EQ(*watch->wait(), News::kChanged);
}

TEST(CurrentWatch, FollowsAFolderThatIsMadeAnew) {
  const support::ScratchFolder root;
  fs::create_directory(root / "c");
  const auto source = *RepositorySource::open(root.path().string(), "c");
  const auto watch = source->watch();
  EXPECT_EQ(*watch->wait(), News::kChanged);
  fs::remove_all(root / "c");
  EXPECT_EQ(*watch->wait(), News::kChanged);
  EXPECT_FALSE(watch->wait());
  fs::create_directory(root / "c");
  EXPECT_EQ(*watch->wait(), News::kChanged);
  write_current(root / "c", 1);
  EXPECT_EQ(*watch->wait(), News::kChanged);
}

TEST(CurrentWatch, EndsItsWaitWhenItIsInterrupted) {
  const support::ScratchFolder root;
  fs::create_directory(root / "c");
  const auto source = *RepositorySource::open(root.path().string(), "c");
  const auto watch = source->watch();
  EXPECT_EQ(*watch->wait(), News::kChanged);
  std::jthread later([&] { watch->interrupt(); });
  EXPECT_EQ(*watch->wait(), News::kNone);
  EXPECT_EQ(*watch->wait(), News::kNone);  // from now on
}

TEST(CurrentWatch, AsksAServerToWaitForAnotherVersionThanItKnows) {
  std::atomic<int> asked = 0;
  const ScriptedHttp server([&](const ScriptedHttp::Talk& talk) {
    constexpr const char* kAnswers[] = {
        "HTTP/1.1 200 OK\r\nETag: \"one\"\r\nPreference-Applied: wait\r\nContent-Length: 2\r\n\r\n1\n",
        "HTTP/1.1 304 Not Modified\r\nETag: \"one\"\r\nPreference-Applied: wait\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nETag: \"one\"\r\n\r\n",
        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nETag: \"two\"\r\nContent-Length: 2\r\n\r\n2\n",
        "HTTP/1.1 200 OK\r\nETag: \"two\"\r\nContent-Length: 99999\r\n\r\n2\n",
        "no HTTP at all\r\n\r\n"};
    talk.send(kAnswers[asked++]);
  });
  const auto source = *RepositorySource::open(server.url(), "c");
  const auto watch = source->watch();
  EXPECT_EQ(*watch->wait(), News::kChanged);
  EXPECT_EQ(*watch->wait(), News::kNone);
  EXPECT_EQ(*watch->wait(), News::kCannotTell);
  EXPECT_EQ(watch->wait().error().code(), Code::kUnavailable);
  EXPECT_EQ(*watch->wait(), News::kChanged);
  EXPECT_EQ(watch->wait().error().code(), Code::kCorrupt);
  EXPECT_EQ(watch->wait().error().code(), Code::kCorrupt);
  const auto requests = server.requests();
  EXPECT_NE(requests[0].find("GET /c/CURRENT HTTP/1.1"), std::string::npos);
  EXPECT_EQ(requests[0].find("If-None-Match"), std::string::npos);
  EXPECT_NE(requests[1].find("If-None-Match: \"one\""), std::string::npos);
  EXPECT_NE(requests[1].find("Prefer: wait=20"), std::string::npos);
  EXPECT_EQ(requests[4].find("If-None-Match"), std::string::npos);  // after an error it is another server, perhaps
}

TEST(CurrentWatch, EndsAGetThatAServerHoldsWhenItIsInterrupted) {
  std::atomic<bool> held = false;
  const ScriptedHttp server([&](const ScriptedHttp::Talk& talk) {
    held = true;
    talk.drip("HTTP/1.1 304 Not Modified\r\n");
  });
  const auto source = *RepositorySource::open(server.url(), "c");
  const auto watch = source->watch();
  std::jthread later([&] {
    while (!held) std::this_thread::yield();
    watch->interrupt();
  });
  EXPECT_EQ(watch->wait().error().code(), Code::kUnavailable);
}

}  // namespace
}  // namespace frond::repository
