// The promises of client.h, with servers that break the rules.
#include "common/http/client/client.h"

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/scripted_http.h"

namespace frond::http {
namespace {
using std::chrono::milliseconds, std::chrono::seconds, std::chrono::steady_clock;
using support::ScriptedHttp;

constexpr GetLimits kUsual{.max_bytes = 100, .step_timeout = seconds(20)};

struct Got {
  Result<void> outcome;
  std::string bytes;
  Body body;
};

Got get_from(const ScriptedHttp& server, const GetLimits& limits = kUsual, const Rest& rest = {}) {
  Got got;
  got.outcome = get(
      *net::parse_url(server.url()), nullptr, "/x", limits, rest,
      [&](const Body& body) {
        got.body = body;
        return Result<void>();
      },
      [&](ByteView piece) {
        got.bytes += as_text(piece);
        return Result<void>();
      });
  return got;
}

ScriptedHttp answering(const std::string& response) {
  return ScriptedHttp([response](const ScriptedHttp::Talk& talk) { talk.send(response); });
}

TEST(HttpGet, AsksForTheRestOfABodyAndForNoOther) {
  const ScriptedHttp server = answering(
      "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 4-9/10\r\nContent-Length: 6\r\nETag: \"v\"\r\n\r\n456789");
  const Got got = get_from(server, kUsual, {4, "\"v\""});
  ASSERT_TRUE(got.outcome) << got.outcome.error().message();
  EXPECT_EQ(got.bytes, "456789");
  EXPECT_EQ(got.body.from, 4u);
  EXPECT_EQ(got.body.etag, "\"v\"");
  const std::string asked = server.requests().at(0);
  EXPECT_NE(asked.find("\r\nRange: bytes=4-\r\n"), std::string::npos) << asked;
  EXPECT_NE(asked.find("\r\nIf-Range: \"v\"\r\n"), std::string::npos) << asked;
}

TEST(HttpGet, TellsThatItGetsAllWhereTheServerHasNoRanges) {
  const ScriptedHttp server = answering("HTTP/1.0 200 OK\r\nContent-Length: 10\r\nETag: W/\"v\"\r\n\r\n0123456789");
  const Got got = get_from(server, kUsual, {4, "\"v\""});
  ASSERT_TRUE(got.outcome) << got.outcome.error().message();
  EXPECT_EQ(got.bytes, "0123456789");
  EXPECT_EQ(got.body.from, 0u);
  EXPECT_EQ(got.body.etag, "") << "a weak one tells nothing of bytes";
}

TEST(HttpGet, CallsAnythingButTheRestCorrupt) {
  for (const std::string head :
       {"Content-Range: bytes 3-9/10", "Content-Range: bytes 4-8/10", "Content-Range: bytes 4-9/11",
        "Content-Range: bytes 4-9", "Content-Range: bytes 4-9/*", "Content-Range: bytes 4-9/101",
        "Content-Range: bytes 4--9/10", "Content-Range: octets 4-9/10",
        "Content-Range: bytes 18446744073709551620-9/10", "X-No-Range: 1",
        "Content-Range: bytes 4-9/10\r\nETag: \"other\""}) {
    const ScriptedHttp server =
        answering("HTTP/1.1 206 Partial Content\r\n" + head + "\r\nContent-Length: 6\r\n\r\n456789");
    const Got got = get_from(server, kUsual, {4, "\"v\""});
    EXPECT_EQ(got.outcome, Code::kCorrupt) << head;
    EXPECT_EQ(got.bytes, "") << head;
  }
  const ScriptedHttp server = answering("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(get_from(server, kUsual, {4, ""}).outcome, Code::kCorrupt);
  // A range that was not requested.
  const ScriptedHttp eager =
      answering("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-5/6\r\nContent-Length: 6\r\n\r\n012345");
  EXPECT_EQ(get_from(eager).outcome, Code::kUnavailable);
}

TEST(HttpGet, CutsOffWhoSendsMoreThanItMay) {
  const std::string much(200, '.');
  const ScriptedHttp announced = answering("HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n" + much);
  EXPECT_EQ(get_from(announced).outcome, Code::kCorrupt);
  const ScriptedHttp chunked =
      answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc8\r\n" + much + "\r\n0\r\n\r\n");
  EXPECT_EQ(get_from(chunked).outcome, Code::kCorrupt);
  const ScriptedHttp endless = answering("HTTP/1.1 200 OK\r\n\r\n" + much);
  EXPECT_EQ(get_from(endless).outcome, Code::kCorrupt);
  const ScriptedHttp rest =
      answering("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 60-99/100\r\n\r\n" + much.substr(0, 41));
  EXPECT_EQ(get_from(rest, kUsual, {60, ""}).outcome, Code::kCorrupt);
}

TEST(HttpGet, GivesWhatCameBeforeACut) {
  const ScriptedHttp server = answering("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123");
  const Got got = get_from(server);
  EXPECT_EQ(got.outcome, Code::kUnavailable);
  EXPECT_EQ(got.bytes, "0123");
}

TEST(HttpGet, GivesUpAServerThatDripsItsHeadersOrItsBody) {
  for (const std::string head : {"HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"}) {
    const ScriptedHttp server([&](const ScriptedHttp::Talk& talk) {
      talk.send(head);
      talk.drip();
    });
    const auto before = steady_clock::now();
    const Got got = get_from(server, {.max_bytes = 1000000,
                                      .step_timeout = seconds(20),
                                      .min_bytes_per_second = 20000,
                                      .window = milliseconds(200)});
    EXPECT_EQ(got.outcome, Code::kDeadline) << head;
    EXPECT_LT(steady_clock::now() - before, seconds(15)) << head;
  }
}

TEST(HttpGet, CountsTheTimeThatItWaitedForTheServerAlone) {
  const ScriptedHttp server([](const ScriptedHttp::Talk& talk) {
    talk.send("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n" + std::string(2000000, '.'));
  });
  // Far slower than min_bytes_per_second, but the time is spent by the receiver, not the server.
  const auto slowly = [](ByteView) {
    std::this_thread::sleep_for(milliseconds(300));
    return Result<void>();
  };
  const auto done = get(*net::parse_url(server.url()), nullptr, "/x",
                        {.max_bytes = 2000000,
                         .step_timeout = seconds(20),
                         .min_bytes_per_second = 1'000'000,
                         .window = milliseconds(1500)},
                        slowly);
  EXPECT_TRUE(done) << done.error().message();
}

}  // namespace
}  // namespace frond::http
