// Against a server that answers each request as the test says.
#include "tools/export/export_matches.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/support/scratch_folder.h"
#include "tests/support/scripted_http.h"

namespace frond::tools {
namespace {

using support::ScriptedHttp;

std::string reply(std::string_view status, std::string_view body, std::string_view header = "") {
  return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}", status, body.size(), header,
                     body);
}
// The page behind a document of five.
std::string page(const std::string& request, int hits = 2) {
  const auto at = request.find("&search_after=");
  const int first = at == std::string::npos ? 0 : std::stoi(request.substr(at + 14));
  std::string listed;
  for (int i = first; i < std::min(first + hits, 5); ++i)
    listed += fmt::format("{}{{\"id\":\"d{}\",\"sort\":[{}]}}", listed.empty() ? "" : ",", i, i);
  const auto cursor = first + hits < 5 ? fmt::format(",\"cursor\":\"{}\"", first + hits) : "";
  return reply("200 OK", fmt::format("{{\"total\":{{\"value\":5}},\"hits\":[{}]{}}}", listed, cursor));
}
int size_of(const std::string& request) { return std::stoi(request.substr(request.find("&k=") + 3)); }
const std::string kAll = "id\r\nd0\r\nd1\r\nd2\r\nd3\r\nd4\r\n";

class ExportMatches : public testing::Test {
 protected:
  ExportMatches() {
    options_.words = "hard links";
    options_.query.k = 1000;
    options_.query.fields = "id";
    options_.retries = 3;
  }
  // Answers to the requests, one after the other; an empty one closes the connection.
  Result<std::uint64_t> from(std::function<std::string(const std::string& request, int number)> answer) {
    ScriptedHttp server(
        [&, number = 0](const ScriptedHttp::Talk& talk) mutable { talk.send(answer(talk.request, number++)); });
    BrokerClient broker({"127.0.0.1", server.port(), ""}, nullptr, std::chrono::seconds(20));
    const MatchText text(MatchFormat::kCsv, {"id"}, false);
    const ExportEvents events{
        .wait = [this](std::chrono::milliseconds time) { waited_.push_back(time.count()); },
        .retried = [this](const std::string& why) { told_ += why + ". "; },
        .progress = [this](std::uint64_t written,
                           std::uint64_t total) { told_ += fmt::format("{}/{} ", written, total); }};
    OutputFile output(folder_ / "matches.csv");
    auto written = export_matches(broker, options_, text, events, output);
    EXPECT_TRUE(!written || output.finish());
    requests_ = server.requests();
    return written;
  }
  // The hits of each page that was asked for.
  std::string sizes() const {
    std::string all;
    for (const auto& request : requests_) all += fmt::format("{} ", size_of(request));
    return all;
  }
  std::string file() const { return support::read_file(folder_ / "matches.csv"); }
  bool leaves_nothing() const { return std::filesystem::is_empty(folder_.path()); }

  support::ScratchFolder folder_;
  ExportOptions options_;
  std::vector<std::string> requests_;
  std::vector<long> waited_;
  std::string told_;
};

TEST_F(ExportMatches, WritesAllPagesBehindTheirCursors) {
  const auto written = from([](const std::string& request, int) { return page(request); });
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(*written, 5u);
  EXPECT_EQ(file(), kAll);
  EXPECT_EQ(told_, "2/5 4/5 5/5 ");
  ASSERT_EQ(requests_.size(), 3u);
  EXPECT_NE(requests_[0].find("GET /v1/search?q=hard%20links&k=128&fields=id&allow_partial=false&sort=_order HTTP"),
            std::string::npos)
      << requests_[0];
  EXPECT_NE(requests_[2].find("k=512&"), std::string::npos) << "small answers let pages grow: " << requests_[2];
  EXPECT_NE(requests_[2].find("&search_after=4 "), std::string::npos) << requests_[2];
}

TEST_F(ExportMatches, AsksAgainWhereTheBrokerHasNoTimeOrIsGone) {
  const auto written = from([](const std::string& request, int number) {
    if (number == 0) return reply("429 Too many", "{}", "Retry-After: 3\r\n");
    if (number == 2) return reply("503 Unavailable", "{}");
    if (number == 3 || number == 4) return std::string();
    return page(request);
  });
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(file(), kAll);
  EXPECT_EQ(waited_, (std::vector<long>{3000, 500, 1000, 2000}));
}

TEST_F(ExportMatches, GivesUpAtLast) {
  const auto written = from([](const std::string& request, int number) {
    return number == 0 ? page(request) : reply("504 Timeout", R"({"title":"Too late"})");
  });
  ASSERT_EQ(written, Code::kUnavailable);
  EXPECT_EQ(written.error().message(), "after 2 of 5 documents: status 504: Too late");
  EXPECT_EQ(sizes(), "128 256 128 64 32 16 8 4 2 1 1 1 1 ") << "a page of one hit is asked for as often as any";
  EXPECT_EQ(waited_, (std::vector<long>{500, 500, 500, 500, 500, 500, 500, 500, 500, 1000, 2000}));
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(ExportMatches, AsksForHalfThePageWhereTimeDoesNotDoForAllOfIt) {
  const auto written = from([](const std::string& request, int) {
    return size_of(request) > 50 ? reply("504 Timeout", R"({"title":"Deadline"})") : page(request, 1);
  });
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(file(), kAll);
  EXPECT_EQ(sizes(), "128 64 32 36 40 45 50 ");
  EXPECT_EQ(told_,
            "status 504: Deadline; again in 0.5 s, with pages of 64. "
            "status 504: Deadline; again in 0.5 s, with pages of 32. 1/5 2/5 3/5 4/5 5/5 ");
  EXPECT_EQ(waited_, (std::vector<long>{500, 500}));
}

TEST_F(ExportMatches, AsksForHalfThePageWhereAnAnswerIsTooLarge) {
  const auto written = from([](const std::string& request, int) {
    return size_of(request) > 3 ? "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n" : page(request, 3);
  });
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(file(), kAll);
  EXPECT_EQ(sizes(), "128 64 32 16 8 4 2 3 ");
  EXPECT_EQ(
      from([](const std::string&, int) { return std::string("HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n"); }),
      Code::kOverloaded)
      << "one hit is too large";
}

TEST_F(ExportMatches, AsksForHalfThePageWhereLeavesRefuseItAgain) {
  options_.retries = 8;
  const auto written = from([](const std::string& request, int) {
    return size_of(request) > 30 ? reply("503 Unavailable", R"({"title":"3 of 4"})") : page(request, 3);
  });
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(file(), kAll);
  EXPECT_EQ(sizes(), "128 128 64 32 16 18 ");
  EXPECT_EQ(waited_, (std::vector<long>{500, 1000, 2000, 4000}));
}

TEST_F(ExportMatches, SaysHowManyWereWrittenWhenTheGenerationIsGone) {
  const auto written = from([](const std::string& request, int number) {
    return number < 2 ? page(request) : reply("410 Gone", R"({"title":"Gone","detail":"generation 3 is not served"})");
  });
  ASSERT_EQ(written, Code::kInvalid);
  EXPECT_EQ(written.error().message(),
            "after 4 of 5 documents: status 410: Gone: generation 3 is not served; the matches are those of a "
            "generation that is gone: begin again");
  EXPECT_TRUE(leaves_nothing());
  EXPECT_TRUE(waited_.empty());
}

TEST_F(ExportMatches, KeepsAnOlderFileUntilAllIsWritten) {
  std::ofstream(folder_ / "matches.csv") << "older";
  EXPECT_FALSE(from([](const std::string&, int) { return reply("400 Bad request", R"({"detail":"sort: no"})"); }));
  EXPECT_EQ(file(), "older");
  EXPECT_TRUE(from([](const std::string& request, int) { return page(request); }));
  EXPECT_EQ(file(), kAll);
}

TEST_F(ExportMatches, DoesNotFollowACursorThatLeadsNowhere) {
  EXPECT_EQ(from([](const std::string&, int) { return reply("200 OK", R"({"hits":[{"id":"a"}],"cursor":"x"})"); }),
            Code::kCorrupt);
  EXPECT_EQ(from([](const std::string&, int) { return reply("200 OK", R"({"hits":[],"cursor":"x"})"); }),
            Code::kCorrupt);
}

TEST_F(ExportMatches, IsAHeaderWhereNothingMatches) {
  EXPECT_EQ(from([](const std::string&, int) { return reply("200 OK", R"({"total":{"value":0},"hits":[]})"); }), 0u);
  EXPECT_EQ(file(), "id\r\n");
}

}  // namespace
}  // namespace frond::tools
