#include "common/metrics/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frond::metrics {
namespace {

using testing::HasSubstr;

TEST(MetricsRegistry, TellsWhatWasCounted) {
  Registry registry("1.2.3");
  Counter requests = registry.counter({"frond_test_requests_total", "Requests."}, {{"kind", "search"}});
  requests.add();
  requests.add(2);
  registry.gauge({"frond_test_cache_bytes", "Held."}).set(4096);
  registry.histogram({"frond_test_wait_seconds", "Waits."}, latency_seconds()).observe(0.0003);
  const std::string text = registry.exposition();
  EXPECT_THAT(text, HasSubstr("frond_build_info{version=\"1.2.3\"} 1"));
  EXPECT_THAT(text, HasSubstr("# HELP frond_test_requests_total Requests."));
  EXPECT_THAT(text, HasSubstr("# TYPE frond_test_requests_total counter"));
  EXPECT_THAT(text, HasSubstr("frond_test_requests_total{kind=\"search\"} 3"));
  EXPECT_THAT(text, HasSubstr("frond_test_cache_bytes 4096"));
  EXPECT_THAT(text, HasSubstr("frond_test_wait_seconds_bucket{le=\"0.00025\"} 0"));
  EXPECT_THAT(text, HasSubstr("frond_test_wait_seconds_bucket{le=\"0.0005\"} 1"));
}

TEST(MetricsRegistry, TellsOfTheProcess) {
  const std::string text = Registry("1").exposition();
  for (const char* name : {"process_cpu_seconds_total", "process_resident_memory_bytes", "process_start_time_seconds",
                           "process_open_fds", "process_virtual_memory_bytes"}) {
    const auto at = text.find("\n" + std::string(name) + " ");
    ASSERT_NE(at, std::string::npos) << name;
    EXPECT_GE(std::stod(text.substr(at + std::string(name).size() + 2)), 0) << name;
  }
}

TEST(MetricsRegistry, GivesTheSameMetricForTheSameNameAndLabels) {
  Registry registry("1");
  const Family family{"frond_test_requests_total", "Requests."};
  Counter one = registry.counter(family, {{"kind", "a"}}), same = registry.counter(family, {{"kind", "a"}});
  one.add();
  EXPECT_EQ(same.value(), 1);
  EXPECT_EQ(registry.counter(family, {{"kind", "b"}}).value(), 0);
}

TEST(MetricsRegistry, AsksBeforeEachScrape) {
  Registry registry("1");
  int depth = 7;
  registry.before_scrape([&, gauge = registry.gauge({"frond_test_depth", "Depth."})]() mutable { gauge.set(depth); });
  EXPECT_THAT(registry.exposition(), HasSubstr("frond_test_depth 7"));
  depth = 8;
  EXPECT_THAT(registry.exposition(), HasSubstr("frond_test_depth 8"));
}

TEST(AFollowingCounter, IsRaisedToTheCountAndNeverFalls) {
  Registry registry("1");
  const Family family{"frond_test_drops_total", "Drops."};
  FollowingCounter drops = registry.following_counter(family);
  drops.follow(7);
  EXPECT_EQ(drops.value(), 7);
  drops.follow(std::uint64_t{7});
  drops.follow(5);
  EXPECT_EQ(drops.value(), 7);
  registry.following_counter(family).follow(9.5);  // the same metric through another handle
  EXPECT_EQ(drops.value(), 9.5);
}

TEST(ARegistry, RemovesWhatHasALabel) {
  Registry registry("1");
  const Family family{"frond_test_things", "Things."};
  for (const char* name : {"one", "two"})
    for (int again = 0; again < 2; ++again) registry.gauge(family, {{"collection", name}, {"kind", "k"}}).set(1);
  registry.remove("collection", "one");
  EXPECT_EQ(registry.exposition().find("collection=\"one\""), std::string::npos);
  EXPECT_NE(registry.exposition().find("collection=\"two\""), std::string::npos);
  registry.gauge(family, {{"collection", "one"}, {"kind", "k"}}).set(2);
  EXPECT_NE(registry.exposition().find("collection=\"one\""), std::string::npos);
}

TEST(MetricsHandles, CountNothingWithoutARegistry) {
  Counter counter;
  FollowingCounter following;
  following.follow(3);
  EXPECT_EQ(following.value(), 0);
  Gauge gauge;
  Histogram histogram;
  counter.add();
  gauge.set(1);
  gauge.add(1);
  histogram.observe(1);
  EXPECT_EQ(counter.value(), 0);
  EXPECT_EQ(gauge.value(), 0);
}

}  // namespace
}  // namespace frond::metrics
