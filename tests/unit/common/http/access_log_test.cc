// Lines of the log for requests.
#include "common/http/server/access_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

namespace frond::http {
namespace {

// The lines for as many requests of traces that begin as `made` says.
template <class Made>
std::string logged(double share, int requests, Made made) {
  testing::internal::CaptureStderr();
  {
    Logger log("test", LogLevel::kInfo);
    AccessLog access(log, share);
    for (int i = 0; i < requests; ++i) {
      const Trace trace = made(i);
      access.note({.route = "/v1/search", .method = "GET", .status = 200, .seconds = 0.25, .bytes = 7, .trace = trace});
    }
  }
  return testing::internal::GetCapturedStderr();
}

constexpr const char* kChosen = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

Trace chosen(int) { return trace_of(kChosen, "mine"); }

TEST(AccessLog, SaysWhatWasAskedAndHowItWasAnswered) {
  const auto line = nlohmann::json::parse(logged(1, 1, chosen));
  EXPECT_EQ(line["message"], "request");
  EXPECT_EQ(line["route"], "/v1/search");
  EXPECT_EQ(line["method"], "GET");
  EXPECT_EQ(line["status"], "200");
  EXPECT_EQ(line["us"], "250000");
  EXPECT_EQ(line["bytes"], "7");
  EXPECT_EQ(line["request_id"], "mine");
  EXPECT_EQ(line["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST(AccessLog, TakesAShareWhateverTraceClientsChoose) {
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(logged(0, 2000, chosen)), 0);
  EXPECT_EQ(lines(logged(1, 2000, chosen)), 2000);
  EXPECT_NEAR(static_cast<double>(lines(logged(0.25, 2000, chosen))), 500, 100);
  EXPECT_NEAR(static_cast<double>(lines(logged(0.25, 2000, [](int) { return trace_of({}, {}); }))), 500, 100);
}

}  // namespace
}  // namespace frond::http
