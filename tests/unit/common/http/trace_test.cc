// Traces and ids of requests: whose are taken, and what is begun where none can be.
#include "common/http/trace.h"

#include <gtest/gtest.h>

#include <string>

namespace frond::http {
namespace {

constexpr std::string_view kTrace = "4bf92f3577b34da6a3ce929d0e0e4736", kParent = "00f067aa0ba902b7";

std::string field(std::string_view version, std::string_view trace, std::string_view parent, std::string_view flags) {
  return std::string(version).append("-").append(trace).append("-").append(parent).append("-").append(flags);
}

TEST(Trace, GoesOnWithItsClients) {
  const Trace trace = trace_of(field("00", kTrace, kParent, "01"), {});
  EXPECT_EQ(trace.trace_id(), kTrace);
  EXPECT_EQ(trace.request_id(), kTrace);
  const std::string sent = trace.traceparent();
  EXPECT_TRUE(sent.starts_with("00-" + std::string(kTrace) + "-")) << sent;
  EXPECT_TRUE(sent.ends_with("-01")) << sent;
  EXPECT_EQ(sent.find(kParent), std::string::npos) << "a span of its own";
  EXPECT_EQ(sent.size(), 55u);
  EXPECT_TRUE(trace_of(field("00", kTrace, kParent, "00"), {}).traceparent().ends_with("-00"));
  EXPECT_EQ(trace_of(field("cc", kTrace, kParent, "03"), {}).trace_id(), kTrace) << "a later version";
  EXPECT_EQ(trace_of(field("cc", kTrace, kParent, "03-more"), {}).trace_id(), kTrace);
}

TEST(Trace, BeginsOneWhereTheFieldIsNoTrace) {
  const std::string zeros(32, '0');
  for (const std::string& bad :
       {std::string(), std::string("00"), field("ff", kTrace, kParent, "01"), field("0x", kTrace, kParent, "01"),
        field("00", zeros, kParent, "01"), field("00", kTrace, zeros.substr(16), "01"),
        field("00", "4BF92F3577B34DA6A3CE929D0E0E4736", kParent, "01"), field("00", kTrace, kParent, "01-more"),
        field("cc", kTrace, kParent, "01more"), field("00", kTrace, kParent, "0g"), field("00", kTrace, kParent, "+1"),
        field("00", "-bf92f3577b34da6a3ce929d0e0e4736", kParent, "01"), std::string(4000, '0')}) {
    const Trace begun = trace_of(bad, {}), other = trace_of(bad, {});
    EXPECT_NE(begun.trace_id(), kTrace) << bad;
    EXPECT_NE(begun.high | begun.low, 0u);
    EXPECT_NE(begun.trace_id(), other.trace_id()) << bad;
    EXPECT_NE(begun.span, 0u);
    EXPECT_EQ(trace_of(begun.traceparent(), {}).trace_id(), begun.trace_id()) << "what is sent can be read";
  }
}

TEST(Trace, TakesIdsThatCanStandInALine) {
  EXPECT_EQ(trace_of({}, "order-66_a.b:c/d+e=f@g").request_id(), "order-66_a.b:c/d+e=f@g");
  EXPECT_EQ(trace_of({}, std::string(kMaxRequestId, 'x')).request_id(), std::string(kMaxRequestId, 'x'));
  for (const std::string& bad : {std::string(), std::string("a b"), std::string("a\r\nSet-Cookie: b"),
                                 std::string("\"x\""), std::string("\xc3\xa4"), std::string(kMaxRequestId + 1, 'x')}) {
    const Trace trace = trace_of({}, bad);
    EXPECT_EQ(trace.request_id(), trace.trace_id()) << bad;
  }
}

}  // namespace
}  // namespace frond::http
