// What repository.h promises for fetch() over HTTP: servers break off, stall, and send bytes that were not requested.
#include <chrono>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "common/partition/file_checksum.h"
#include "common/repository/repository.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/scripted_http.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;
using support::ScriptedHttp;
using Talk = ScriptedHttp::Talk;

constexpr std::size_t kBytes = 1'000'000;

// Answers as a server that supports ranges, but ends after `most` bytes of the body.
void answer(const Talk& talk, const std::string& body, std::size_t most = ~std::size_t{0}) {
  const std::size_t from = talk.from();
  const std::string rest = body.substr(from);
  talk.send(from == 0 ? "HTTP/1.1 200 OK\r\n"
                      : "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + std::to_string(from) + "-" +
                            std::to_string(body.size() - 1) + "/" + std::to_string(body.size()) + "\r\n");
  talk.send("ETag: \"one\"\r\nContent-Length: " + std::to_string(rest.size()) + "\r\n\r\n" + rest.substr(0, most));
}

class ATransfer : public testing::Test {
 protected:
  ATransfer() {
    for (std::size_t i = 0; i < kBytes; ++i) content_ += static_cast<char>('a' + i * i % 23);
    expected_ = {"x.sst", kBytes, partition::xxh3_hex(as_bytes(content_))};
  }
  std::unique_ptr<RepositorySource> source_of(const ScriptedHttp& server) {
    auto opened = RepositorySource::open(server.url(), "c",
                                         {.min_bytes_per_second = 100'000, .window = std::chrono::milliseconds(300)});
    return *std::move(opened);
  }
  Result<void> fetch(const RepositorySource& source) { return source.fetch("partitions/p/x.sst", expected_, to_); }
  // The file is complete, and no partial file is left.
  void expect_fetched() {
    EXPECT_TRUE(support::read_file(to_) == content_);
    expect_nothing_partial();
  }
  void expect_nothing_partial() {
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      EXPECT_EQ(entry.path().filename().string().find(".part"), std::string::npos) << entry.path();
  }

  support::ScratchFolder folder_;
  const fs::path to_ = folder_ / "x.sst";
  std::string content_;
  PartitionFile expected_;
};

TEST_F(ATransfer, GoesOnWhereTheOneBeforeBrokeOff) {
  const ScriptedHttp server([&](const Talk& talk) { answer(talk, content_, 300'000); });
  const auto source = source_of(server);
  const auto done = fetch(*source);
  ASSERT_TRUE(done) << done.error().message();
  expect_fetched();
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 4u);
  EXPECT_NE(requests[3].find("Range: bytes=900000-\r\nIf-Range: \"one\"\r\n"), std::string::npos) << requests[3];
  const TransferCounts counts = source->transfers();
  EXPECT_EQ(counts.bytes, kBytes);
  EXPECT_EQ(counts.broken, 3u);
  EXPECT_EQ(counts.resumed, 3u);
  EXPECT_EQ(counts.slow, 0u);
}

TEST_F(ATransfer, GoesOnInALaterCallOfAnotherProcess) {
  {
    const ScriptedHttp server([&](const Talk& talk) {
      if (talk.from() == 0) answer(talk, content_, 400'000);
    });
    EXPECT_EQ(fetch(*source_of(server)), Code::kUnavailable);
    EXPECT_FALSE(fs::exists(to_));
    EXPECT_EQ(fs::file_size(to_.string() + ".part"), 400'000u);
  }
  const ScriptedHttp server([&](const Talk& talk) { answer(talk, content_); });
  const auto source = source_of(server);
  ASSERT_TRUE(fetch(*source));
  expect_fetched();
  EXPECT_EQ(source->transfers().bytes, 600'000u);
  EXPECT_NE(server.requests().at(0).find("Range: bytes=400000-"), std::string::npos);
}

TEST_F(ATransfer, NeedsNoServerForWhatIsHereButForItsName) {
  support::write_file(to_.string() + ".part", content_);
  support::write_file(to_.string() + ".part.of", expected_.xxh3 + " " + std::to_string(kBytes) + "\n\n");
  EXPECT_TRUE((*RepositorySource::open("http://127.0.0.1:1", "c"))->fetch("partitions/p/x.sst", expected_, to_));
  expect_fetched();
}

TEST_F(ATransfer, BeginsAnewWhereTheServerHasNoRanges) {
  int asked = 0;
  const ScriptedHttp server([&](const Talk& talk) {
    talk.send("HTTP/1.0 200 OK\r\nContent-Length: " + std::to_string(kBytes) + "\r\n\r\n");
    talk.send(std::string_view(content_).substr(0, ++asked < 3 ? asked * std::size_t{100'000} : kBytes));
  });
  const auto source = source_of(server);
  const auto done = fetch(*source);
  ASSERT_TRUE(done) << done.error().message();
  expect_fetched();
  EXPECT_EQ(source->transfers().resumed, 0u);
}

TEST_F(ATransfer, BeginsAnewWhereTheFrontIsOfAnotherFile) {
  for (const std::string& note : {expected_.xxh3, std::string(32, '0')}) {
    support::write_file(to_.string() + ".part", std::string(500'000, 'z'));
    support::write_file(to_.string() + ".part.of", note + " " + std::to_string(kBytes) + "\n\"one\"\n");
    const ScriptedHttp server([&](const Talk& talk) { answer(talk, content_); });
    const auto done = fetch(*source_of(server));
    ASSERT_TRUE(done) << done.error().message();
    expect_fetched();
  }
}

TEST_F(ATransfer, TriesAFileOfAnotherContentUntilItIsTheSameTwice) {
  support::write_file(to_.string() + ".part", std::string(500'000, 'z'));
  support::write_file(to_.string() + ".part.of", expected_.xxh3 + " " + std::to_string(kBytes) + "\n\n");
  const ScriptedHttp server([&](const Talk& talk) { answer(talk, std::string(kBytes, 'y')); });
  const auto done = fetch(*source_of(server));
  EXPECT_EQ(done, Code::kCorrupt);
  EXPECT_NE(done.error().message().find("partitions/p/x.sst"), std::string::npos) << done.error().message();
  EXPECT_EQ(server.requests().size(), 3u);  // for the rest, for all of it, and once more
  expect_nothing_partial();
  EXPECT_FALSE(fs::exists(to_));
}

TEST_F(ATransfer, IsTriedAgainWhereBytesAreDamagedInAnotherWayEachTime) {
  for (const std::size_t damages : {3u, 4u}) {
    std::size_t asked = 0;
    const ScriptedHttp server([&](const Talk& talk) {
      std::string sent = content_;
      if (asked++ < damages) sent[1000 * asked] ^= 1;
      answer(talk, sent);
    });
    const auto done = fetch(*source_of(server));
    EXPECT_EQ(server.requests().size(), 4u);
    if (damages == 4) {
      EXPECT_EQ(done, Code::kCorrupt);
      expect_nothing_partial();
      continue;
    }
    ASSERT_TRUE(done) << done.error().message();
    expect_fetched();
    fs::remove(to_);
  }
}

TEST_F(ATransfer, IsCutOffWhereMoreComesThanTheManifestSays) {
  const ScriptedHttp server([&](const Talk& talk) {
    talk.send("HTTP/1.1 200 OK\r\n\r\n" + content_);
    talk.drip();
  });
  EXPECT_EQ(fetch(*source_of(server)), Code::kCorrupt);
  EXPECT_EQ(server.requests().size(), 1u);
  expect_nothing_partial();
}

TEST_F(ATransfer, IsGivenUpWhereNothingMoreComesAndGoesOnFromThere) {
  int asked = 0;
  const ScriptedHttp server([&](const Talk& talk) {
    if (++asked > 1) return answer(talk, content_);
    answer(talk, content_, 500'000);
    talk.drip(std::string_view(content_).substr(500'000));
  });
  const auto source = source_of(server);
  const auto done = fetch(*source);
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(source->transfers().slow, 1u);
  EXPECT_EQ(source->transfers().resumed, 1u);
  expect_fetched();
}

TEST_F(ATransfer, GivesUpAServerThatBringsNothing) {
  const ScriptedHttp server([&](const Talk& talk) { talk.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"); });
  const auto source = source_of(server);
  EXPECT_EQ(fetch(*source), Code::kUnavailable);
  EXPECT_EQ(server.requests().size(), 4u);
  EXPECT_EQ(source->transfers().broken, 4u);
}

TEST_F(ATransfer, EndsWhenItIsStopped) {
  const ScriptedHttp server([&](const Talk& talk) { answer(talk, content_, 100'000); });
  EXPECT_EQ(source_of(server)->fetch("partitions/p/x.sst", expected_, to_, [] { return true; }), Code::kUnavailable);
  EXPECT_EQ(server.requests().size(), 1u);
}

}  // namespace
}  // namespace frond::repository
