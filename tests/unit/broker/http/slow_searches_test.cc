// Searches that take long: what leaves are told, and what is noted of them.
#include "broker/http/monitoring/slow_searches.h"

#include "tests/unit/broker/http/search_service_fixture.h"

namespace frond::broker::http {
namespace {
using support::Answered;

const frond::http::Trace kTrace{.high = 0x4bf92f3577b34da6, .low = 0xa3ce929d0e0e4736, .span = 7};

struct ASlowBroker : testing::Test {
  ASlowBroker() { broker.up(); }
  nlohmann::json noted() const { return nlohmann::json::parse(broker.shared.slow.json())["slow_searches"]; }
  support::ScriptedBroker broker{{.slow_from = std::chrono::milliseconds(100)}};
};

TEST_F(ASlowBroker, NotesWhatTookLongWithItsTraceAndProfile) {
  Answered quick, slow, cached;
  broker.service.search(asking("quick"), quick.reply(), {}, {{}, kTrace});
  broker.cluster.advance(std::chrono::milliseconds(99));
  broker.play();
  EXPECT_EQ(noted().size(), 0u);
  broker.service.search(asking("slow"), slow.reply(), {}, {{}, kTrace});
  const wire::SearchRequest asked = broker.leaf().searches.last();
  EXPECT_EQ(asked.profile_from, std::chrono::milliseconds(100));
  EXPECT_EQ(asked.trace.high, kTrace.high);
  EXPECT_EQ(asked.trace.low, kTrace.low);
  EXPECT_FALSE(asked.profile);
  broker.cluster.advance(std::chrono::milliseconds(120));
  broker.play();
  ASSERT_EQ(slow.status(), 200);
  EXPECT_FALSE(slow.body().contains("profile")) << "it is not for the client";
  ASSERT_EQ(noted().size(), 1u);
  const auto one = noted()[0];
  EXPECT_EQ(one["query"], "slow");
  EXPECT_EQ(one["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(one["outcome"], "whole");
  EXPECT_EQ(one["cache"], "miss");
  EXPECT_GE(one["took_us"], 120'000);
  ASSERT_EQ(one["profile"]["leaves"].size(), 1u);
  EXPECT_GE(one["profile"]["leaves"][0]["round_trip_us"], 120'000);
  broker.service.search(asking("slow"), cached.reply());
  EXPECT_EQ(noted().size(), 1u) << "the answer in the cache is quick";
  EXPECT_EQ(broker.shared.slow.noted(), 1u);
}

TEST_F(ASlowBroker, NotesThoseWithoutAnAnswerAndThoseThatShareOne) {
  Answered first, second, late;
  broker.service.search(asking("shared"), first.reply());
  broker.service.search(asking("shared"), second.reply());
  broker.cluster.advance(std::chrono::milliseconds(150));
  broker.play();
  ASSERT_EQ(noted().size(), 2u);
  EXPECT_NE(noted()[0].contains("profile"), noted()[1].contains("profile")) << "one of them was evaluated";
  broker.service.search(asking("late", 200), late.reply());
  broker.cluster.advance(std::chrono::milliseconds(250));
  EXPECT_EQ(late.status(), 504);
  ASSERT_EQ(noted().size(), 3u);
  EXPECT_EQ(noted()[0]["outcome"], "deadline");
  const auto ticket = broker.service.search(asking("left"), late.reply());
  broker.cluster.advance(std::chrono::milliseconds(150));
  broker.service.abandon(ticket);
  ASSERT_EQ(noted().size(), 4u);
  EXPECT_EQ(noted()[0]["outcome"], "abandoned");
}

TEST(SlowSearches, KeepsTheLastAndLittleOfEach) {
  SlowSearches slow(nullptr, std::chrono::milliseconds(1));
  for (std::size_t i = 0; i < 2 * SlowSearches::kMostKept; ++i)
    slow.note({.query = std::to_string(i) + std::string(1 << 20, 'q') + "\xff", .profile = "{}"});
  const auto kept = nlohmann::json::parse(slow.json())["slow_searches"];
  ASSERT_EQ(kept.size(), SlowSearches::kMostKept);
  EXPECT_TRUE(kept[0]["query"].get<std::string>().starts_with("127q"));
  merge::Page::Profile wide;
  for (std::uint64_t i = 0; i < 100; ++i)
    wide.leaves.push_back({"tcp://leaf", i, std::vector<wire::PartitionProfile>(64, {.engine_us = i}), {}});
  const std::string shown = slow_profile(wide);
  EXPECT_LT(shown.size(), 4096u) << "whatever the cluster has";
  const auto parsed = nlohmann::json::parse(shown);
  EXPECT_EQ(parsed["leaves"].size(), kMostLeaves);
  EXPECT_EQ(parsed["leaves"][0]["round_trip_us"], 99) << "the slowest first";
  EXPECT_EQ(parsed["leaves"][0]["engine_us"], 99);
  EXPECT_EQ(parsed["left_out"], 100 - kMostLeaves);
  EXPECT_LT(slow.json().size(), SlowSearches::kMostKept * (SlowSearches::kMaxQuery + 512));
  EXPECT_EQ(slow.noted(), 2 * SlowSearches::kMostKept);
  EXPECT_FALSE(SlowSearches(nullptr, {}).is_slow(std::chrono::hours(1))) << "not asked for";
}

}  // namespace
}  // namespace frond::broker::http
