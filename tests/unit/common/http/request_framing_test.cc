// Where RFC 9112 says that a request ends, case by case (tests/support/http_framing.json), however the bytes are cut.
// tests/cluster/edge.py sends the same cases to a broker.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "common/http/server/request_parser.h"

namespace frond::http {
namespace {
constexpr std::string_view kNext = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";

// How a stream was parsed: number of complete requests, status of the refusal (0: none), and the requests.
struct Outcome {
  int taken = 0, refused = 0;
  std::vector<std::string> requests;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// `arrivals`: where the pieces end.
Outcome parse(std::string_view all, const std::vector<std::size_t>& arrivals) {
  RequestParser parser({.max_header = 4096});
  Outcome outcome;
  std::size_t used = 0;
  for (const std::size_t have : arrivals) {
    while (true) {
      const auto progress = parser.feed(all.substr(used, have - used));
      used += progress.used;
      bool failed = progress.state == RequestParser::State::kFailed;
      if (progress.state == RequestParser::State::kHeader) failed = !parser.allow_body(1 << 16);
      if (failed) {
        outcome.refused = parser.failure().status;
        return outcome;
      }
      if (progress.state == RequestParser::State::kNeedMore) break;
      if (progress.state == RequestParser::State::kHeader) continue;
      ++outcome.taken;
      const bool last = !parser.keep_alive();
      const Request request = parser.take();
      outcome.requests.push_back(request.method + ' ' + request.path + ' ' + request.host + ' ' + request.body);
      if (last) return outcome;
    }
  }
  return outcome;
}

// JSON's code points to bytes.
std::string latin1(const std::string& utf8) {
  std::string bytes;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    bytes.push_back(static_cast<char>(c < 0x80 ? c : ((c & 3) << 6) | (static_cast<unsigned char>(utf8[++i]) & 0x3f)));
  }
  return bytes;
}

TEST(RequestFraming, IsThatOfRfc9112HoweverTheStreamIsCut) {
  std::ifstream in("tests/support/http_framing.json");
  const auto cases = nlohmann::json::parse(in);
  ASSERT_GT(cases.size(), 150u);
  for (const auto& each : cases) {
    SCOPED_TRACE(each["section"].get<std::string>() + ": " + each["case"].get<std::string>());
    const std::string all = latin1(each["send"].get<std::string>()).append(kNext);
    const Outcome whole = parse(all, {all.size()});
    EXPECT_EQ(whole.taken, each["taken"]);
    EXPECT_EQ(whole.refused, each["refused"]);
    std::vector<std::size_t> bytewise(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) bytewise[i] = i + 1;
    EXPECT_EQ(parse(all, bytewise), whole) << "a byte at a time";
    for (std::size_t cut = 1; cut < all.size(); ++cut)
      ASSERT_EQ(parse(all, {cut, all.size()}), whole) << "cut at " << cut;
  }
}

// Sizes around the limits: what is too large must not depend on how the bytes arrive, either.
TEST(RequestFraming, HasTheSameLimitsHoweverTheStreamIsCut) {
  const auto outcome_of = [](const std::string& all) {
    const Outcome whole = parse(all, {all.size()});
    std::vector<std::size_t> bytewise(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) bytewise[i] = i + 1;
    EXPECT_EQ(parse(all, bytewise), whole);
    for (std::size_t cut = 1; cut < all.size(); cut += 61) EXPECT_EQ(parse(all, {cut, all.size()}), whole) << cut;
    return std::pair(whole.taken, whole.refused);
  };
  using Pair = std::pair<int, int>;
  const std::string get = "GET /livez HTTP/1.1\r\nHost: a\r\n",
                    chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::size_t room = 4096 - get.size() - 2;  // for fields, with the CRLF of the last line
  const auto field = [](std::size_t bytes) { return "A:" + std::string(bytes - 4, 'b') + "\r\n"; };
  EXPECT_EQ(outcome_of(get + field(room) + "\r\n"), Pair(1, 0)) << "as large as it may be";
  EXPECT_EQ(outcome_of(get + field(room + 1) + "\r\n"), Pair(0, 431));
  EXPECT_EQ(outcome_of(get + field(room / 2) + field(room - room / 2 + 1) + "\r\n"), Pair(0, 431)) << "all together";
  const std::string around = "GET / HTTP/1.1\r\n";
  EXPECT_EQ(outcome_of("GET /" + std::string(4096 - around.size() + 1, 'a') + " HTTP/1.1\r\n"), Pair(0, 414));
  std::string fields;
  for (int i = 0; i < 99; ++i) fields += "A:b\r\n";
  EXPECT_EQ(outcome_of(get + fields + "\r\n"), Pair(1, 0));
  EXPECT_EQ(outcome_of(get + fields + "A:b\r\n\r\n"), Pair(0, 431));
  EXPECT_EQ(outcome_of(chunked + "1;a=" + std::string(900, 'b') + "\r\nx\r\n0\r\n\r\n"), Pair(1, 0));
  EXPECT_EQ(outcome_of(chunked + "1;a=" + std::string(1100, 'b') + "\r\nx\r\n0\r\n\r\n"), Pair(0, 400));
  std::string extensions;
  for (int i = 0; i < 5; ++i) extensions += "1;a=" + std::string(900, 'b') + "\r\nx\r\n";
  EXPECT_EQ(outcome_of(chunked + extensions + "0\r\n\r\n"), Pair(0, 400)) << "all extensions together";
  EXPECT_EQ(outcome_of(chunked + "0\r\n" + field(4096) + "\r\n"), Pair(0, 400));
  EXPECT_EQ(outcome_of(chunked + "0\r\n" + field(4094) + "\r\n"), Pair(1, 0));
  EXPECT_EQ(outcome_of(chunked + "10000\r\n" + std::string(1 << 16, 'x') + "\r\n0\r\n\r\n"), Pair(1, 0));
  EXPECT_EQ(outcome_of(chunked + "10000\r\n" + std::string(1 << 16, 'x') + "\r\n1\r\nx\r\n0\r\n\r\n"), Pair(0, 413));
}
}  // namespace
}  // namespace frond::http
