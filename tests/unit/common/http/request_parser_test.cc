#include "common/http/server/request_parser.h"

#include <gtest/gtest.h>

namespace frond::http {
namespace {
constexpr RequestParser::Limits kLimits{.max_header = 1024, .max_body = 64};

// As feed(), and allows every body within the limits.
RequestParser::Progress feed(RequestParser& parser, std::string_view bytes) {
  auto progress = parser.feed(bytes);
  if (progress.state != RequestParser::State::kHeader) return progress;
  if (!parser.allow_body(kLimits.max_body)) return {progress.used, RequestParser::State::kFailed};
  const auto rest = parser.feed(bytes.substr(progress.used));
  return {progress.used + rest.used, rest.state};
}
int refusal_of(std::string_view bytes) {
  RequestParser parser(kLimits);
  return feed(parser, bytes).state == RequestParser::State::kFailed ? parser.failure().status : 0;
}

TEST(RequestParser, TakesARequestHoweverItIsCut) {
  const std::string bytes =
      "POST /v1/search?a=b HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Odd: Y\r\nContent-Length: "
      "5\r\n\r\nhello";
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    RequestParser parser(kLimits);
    const auto first = feed(parser, std::string_view(bytes).substr(0, cut));
    ASSERT_EQ(first.state, RequestParser::State::kNeedMore) << cut;
    const auto second = feed(parser, std::string_view(bytes).substr(first.used));
    ASSERT_EQ(second.state, RequestParser::State::kDone) << cut;
    EXPECT_EQ(first.used + second.used, bytes.size());
    EXPECT_TRUE(parser.keep_alive());
    const Request request = parser.take();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/v1/search");
    EXPECT_EQ(request.host, "x");
    EXPECT_EQ(request.query, "a=b");
    EXPECT_EQ(request.body, "hello");
    EXPECT_EQ(request.content_type, "application/json");
    EXPECT_EQ(request.header("x-odd"), "Y");
  }
}
TEST(RequestParser, LeavesTheNextRequestAlone) {
  const std::string one = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  RequestParser parser(kLimits);
  EXPECT_EQ(parser.feed(one + one).used, one.size());
}
TEST(RequestParser, JoinsChunksAndIgnoresTrailers) {
  RequestParser parser(kLimits);
  EXPECT_EQ(feed(parser,
                 "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nHost: z\r\n\r\n")
                .state,
            RequestParser::State::kDone);
  const Request request = parser.take();
  EXPECT_EQ(request.body, "abcde");
  EXPECT_EQ(request.host, "x");
}
TEST(RequestParser, RefusesWhatIsTooLarge) {
  EXPECT_EQ(refusal_of("GET /" + std::string(2000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n"), 414);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(2000, 'a') + "\r\n\r\n"), 431);
  EXPECT_EQ(refusal_of("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 65\r\n\r\n"), 413);
  EXPECT_EQ(refusal_of("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n41\r\n"), 413);
  std::string many = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 101; ++i) many += "A:b\r\n";
  EXPECT_EQ(refusal_of(many + "\r\n"), 431);
}
TEST(RequestParser, RefusesWhatIsNoRequest) {
  EXPECT_EQ(refusal_of("hello\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\n\r\n"), 400) << "no Host";
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  for (const std::string once : {"Idempotency-Key", "Content-Type", "Content-Encoding", "Range", "If-Range"})
    EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost: a\r\n" + once + ": x\r\nA: b\r\n" + once + ": y\r\n\r\n"), 400)
        << once;
  EXPECT_EQ(refusal_of("GET nowhere HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}
TEST(RequestParser, SaysWhatABodyMayHaveBeforeAnyOfItIsRead) {
  const std::string_view header = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n";
  RequestParser parser(kLimits);
  EXPECT_EQ(parser.feed(header).state, RequestParser::State::kHeader);
  EXPECT_EQ(parser.header().path, "/");
  EXPECT_FALSE(parser.allow_body(39));
  EXPECT_EQ(parser.failure().status, 413);
  RequestParser none(kLimits);
  none.feed(header);
  EXPECT_FALSE(none.allow_body(0));
  RequestParser enough(kLimits);
  enough.feed(header);
  EXPECT_TRUE(enough.allow_body(40));
  EXPECT_EQ(enough.room(), 40 + 2 * header.size()) << "all that is to come, before any of it";
  EXPECT_EQ(enough.feed(std::string(40, 'x')).state, RequestParser::State::kDone);
}
TEST(RequestParser, SaysWhatAChunkedBodyTakesFirst) {
  const std::string_view header = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  RequestParser parser(kLimits);
  parser.feed(header);
  ASSERT_TRUE(parser.allow_body(1 << 20));
  EXPECT_EQ(parser.room(), (64 << 10) + 2 * header.size());
  parser.feed("30000\r\n" + std::string(0x30000, 'x'));
  EXPECT_GE(parser.room(), 0x30000 + 2 * header.size()) << "what it takes now";
}
TEST(RequestParser, TellsARequestThatHasBegunFromAnEmptyLine) {
  RequestParser parser(kLimits);
  EXPECT_EQ(parser.feed("\r\n").used, 2u);
  EXPECT_FALSE(parser.begun());
  EXPECT_EQ(parser.feed("G").used, 0u);
  EXPECT_TRUE(parser.begun());
}
TEST(RequestParser, SeesTheAbsoluteFormThatProxiesSend) {
  RequestParser parser(kLimits);
  ASSERT_EQ(parser.feed("GET http://host:80/a?b HTTP/1.1\r\nHost: other\r\n\r\n").state, RequestParser::State::kDone);
  const Request request = parser.take();
  EXPECT_EQ(request.host, "host:80") << "Host does not count then";
  EXPECT_EQ(request.path, "/a");
  EXPECT_EQ(request.query, "b");
}
TEST(RequestParser, AsksForAnAwaitedBodyOnce) {
  RequestParser parser(kLimits);
  const auto progress = feed(parser, "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(progress.state, RequestParser::State::kNeedMore);
  EXPECT_TRUE(parser.take_expect_continue());
  EXPECT_FALSE(parser.take_expect_continue());
  EXPECT_EQ(parser.feed("ok").state, RequestParser::State::kDone);
}
}  // namespace
}  // namespace frond::http
