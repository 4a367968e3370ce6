// Rules of time zones, as the system's files have them, against what the C library reads in the same files.
#include "common/query/facets/time_zone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>

namespace frond::query {
namespace {

std::int64_t offset_at(const ZoneRules& rules, std::int64_t ms) {
  return std::prev(std::ranges::upper_bound(rules, ms, {}, &ZoneChange::at_ms))->offset_ms;
}

TEST(TimeZones, AreThoseOfTheCLibrary) {
  std::mt19937_64 random(4);
  for (const char* const name :
       {"Europe/Berlin", "Europe/Dublin", "America/New_York", "America/Havana", "America/St_Johns", "America/Sao_Paulo",
        "Asia/Kolkata", "Asia/Gaza", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham", "Africa/Casablanca",
        "Antarctica/Troll", "Etc/GMT+5", "UTC"}) {
    SCOPED_TRACE(name);
    const auto rules = zone_rules(name);
    ASSERT_TRUE(rules) << rules.error().message();
    ASSERT_TRUE(are_rules(*rules));
    ::setenv("TZ", name, 1);
    ::tzset();
    const auto expect_same = [&](std::time_t at) {
      std::tm local{};
      ::localtime_r(&at, &local);
      ASSERT_EQ(offset_at(*rules, at * 1000), local.tm_gmtoff * 1000) << at;
    };
    for (int i = 0; i < 2000; ++i) expect_same(static_cast<std::time_t>(random() % 6'300'000'000) - 2'200'000'000);
    for (const ZoneChange& one : *rules)
      if (one.at_ms > -2'200'000'000'000)
        for (const std::time_t more : {-1, 0}) expect_same(one.at_ms / 1000 + more);
  }
  ::unsetenv("TZ");
  ::tzset();
}

TEST(TimeZones, AreOffsetsToo) {
  EXPECT_EQ(offset_at(*zone_rules("+05:30"), 0), 19'800'000);
  EXPECT_EQ(offset_at(*zone_rules("-00:45"), 0), -2'700'000);
  for (const char* const name : {"", "Nowhere", "Europe", "/etc/passwd", "../../etc/passwd", "+5:30", "+19:00",
                                 "+05:60", "+0x:00", "Europe/Berlin\n"}) {
    const auto refused = zone_rules(name);
    ASSERT_EQ(refused, Code::kInvalid) << name;
    EXPECT_EQ(refused.error().message().substr(0, 23), "there is no time zone '") << name;
  }
}

TEST(TimeZones, AreNotThoseOfClocksWithLeapSeconds) {
  if (!std::ifstream("/usr/share/zoneinfo/right/Europe/Berlin")) GTEST_SKIP() << "the system has none";
  EXPECT_EQ(zone_rules("right/Europe/Berlin"), Code::kInvalid);
}

TEST(TimeZones, HaveNumbersOfTheirSize) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_TRUE(are_rules({{kLeast, 0}, {kMaxZoneMs, 1 - kMaxZoneOffsetMs}}));
  EXPECT_FALSE(are_rules({{kLeast, kLeast}}));
  EXPECT_FALSE(are_rules({{kLeast, 0}, {kLeast, 0}}));
  EXPECT_FALSE(are_rules({{kLeast, 0}, {kMaxZoneMs + 1, 0}}));
  EXPECT_FALSE(are_rules({{kLeast, kMaxZoneOffsetMs}}));
}

TEST(TimeZones, OfBrokenFilesAreNone) {
  std::ifstream file("/usr/share/zoneinfo/Europe/Berlin", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  ASSERT_TRUE(read_zone(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_EQ(read_zone(std::string_view(bytes).substr(0, size)), Code::kCorrupt) << size;
  std::mt19937 random(2);
  for (int i = 0; i < 20'000; ++i) {  // nothing that is read past the end, and rules that are some
    std::string broken = bytes;
    for (int changes = 0; changes < 3; ++changes) broken[random() % broken.size()] = static_cast<char>(random());
    const auto read = read_zone(broken);
    ASSERT_TRUE(!read || are_rules(*read));
  }
}

}  // namespace
}  // namespace frond::query
