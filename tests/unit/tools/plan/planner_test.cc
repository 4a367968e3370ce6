// What is planned: more of anything never needs less, what cannot be had is told with what can, three whole plans.
#include "tools/plan/planner.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace frond::tools::plan {
namespace {

constexpr double kGiB = 1 << 30;

Wanted usual() {
  Wanted wanted;
  wanted.documents = 1e8;
  wanted.words = 300;
  wanted.rate = 1000;
  wanted.p99_ms = 100;
  wanted.availability = wanted.machine_availability = 0.999;
  wanted.hedge_share = 0.05;
  wanted.cores = 16;
  wanted.memory = 128 * kGiB;
  wanted.gpu_memory = 80 * kGiB;
  return wanted;
}
double planned(const Wanted& wanted, std::string_view figure) {
  const auto plan = make_plan(wanted, Constants::built_in());
  EXPECT_TRUE(plan.has_value()) << plan.error().message();
  return plan ? plan->value(figure) : 0;
}
std::string refused(const Wanted& wanted) {
  const auto plan = make_plan(wanted, Constants::built_in());
  return plan ? "planned" : plan.error().message();
}

TEST(Planner, MoreDocumentsNeverNeedFewerLeaves) {
  double before = 0;
  for (double documents = 1e5; documents < 1e9; documents *= 1.7) {
    Wanted wanted = usual();
    wanted.documents = documents;
    const double leaves = planned(wanted, "leaves");
    EXPECT_GE(leaves, before) << documents << " documents";
    before = leaves;
  }
}

TEST(Planner, AHigherRateNeverNeedsFewerLeaves) {
  double before = 0;
  for (double rate = 10; rate < 50'000; rate *= 2) {
    Wanted wanted = usual();
    wanted.documents = 1e7;
    wanted.rate = rate;
    const double leaves = planned(wanted, "leaves");
    EXPECT_GE(leaves, before) << rate << " searches a second";
    before = leaves;
  }
}

TEST(Planner, KeepsTheTargetAndTheMemoryThatItWasGiven) {
  for (const double p99_ms : {20.0, 50.0, 200.0}) {
    Wanted wanted = usual();
    wanted.p99_ms = p99_ms;
    const auto plan = make_plan(wanted, Constants::built_in());
    ASSERT_TRUE(plan) << plan.error().message();
    EXPECT_LE(plan->value("p99_ms"), p99_ms);
    EXPECT_LE(plan->value("leaf_memory_bytes"), wanted.memory);
    EXPECT_EQ(plan->value("leaves"), plan->value("shards") * plan->value("replicas"));
  }
}

TEST(Planner, MoreAvailabilityTakesMoreReplicas) {
  Wanted wanted = usual();
  wanted.rate = 500;  // for which one has the time
  wanted.availability = 0;
  EXPECT_EQ(planned(wanted, "replicas"), 1);
  wanted.availability = 0.9999;
  EXPECT_EQ(planned(wanted, "replicas"), 2);
  wanted.availability = 0.9999995;
  EXPECT_EQ(planned(wanted, "replicas"), 3);
}

TEST(Planner, TenThousandMillionDocumentsAreCountedWhole) {
  Wanted wanted = usual();
  wanted.documents = 1e10;
  wanted.words = 1000;
  wanted.rate = 100;
  wanted.p99_ms = 500;
  wanted.memory = 512 * kGiB;
  const auto plan = make_plan(wanted, Constants::built_in());
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_GT(plan->value("leaves"), 40);
  EXPECT_LE(plan->value("partitions"), 4096);
  const double postings = 1e10 * 1000 * Constants::built_in().postings_word;
  EXPECT_GT(plan->value("repository_bytes"), postings * 2);  // more than 2^43
  EXPECT_TRUE(std::isfinite(plan->value("p99_ms")) && plan->value("p99_ms") > 0);
}

TEST(Planner, AGpuTakesTheWorkFromTheCores) {
  Wanted wanted = usual();
  wanted.rate = 5000;
  const double without = planned(wanted, "leaves");
  wanted.gpus = 1;
  EXPECT_LT(planned(wanted, "leaves"), without);
}

TEST(Planner, WhatCannotBeHadIsToldWithWhatWouldDo) {
  Wanted wanted = usual();
  wanted.p99_ms = 0.01;
  EXPECT_NE(refused(wanted).find("a leaf with next to no documents takes 0."), std::string::npos) << refused(wanted);
  wanted = usual();
  wanted.rate = 5000;
  wanted.machines = 2;
  const std::string too_few = refused(wanted);
  EXPECT_EQ(too_few.find("2 machines are not enough: "), 0u) << too_few;
  wanted.machines = static_cast<std::uint32_t>(std::atoi(too_few.c_str() + std::strlen("2 machines are not enough: ")));
  EXPECT_EQ(planned(wanted, "machines"), wanted.machines);  // what it said does
  wanted = usual();
  wanted.documents = 1e12;
  wanted.memory = 4 * kGiB;
  EXPECT_NE(refused(wanted).find("GiB would do"), std::string::npos) << refused(wanted);
  wanted = usual();
  wanted.rate = 5000;
  wanted.shards = wanted.replicas = 1;
  EXPECT_NE(refused(wanted).find("these leaves answer"), std::string::npos) << refused(wanted);
}

TEST(Constants, EachIsNamedIfItIsMissingOrOfNoPage) {
  const auto with = [](const char* constants) {
    const auto parsed = Constants::parse(std::string(R"({"work": {}, "constants": [)") + constants + "]}");
    return parsed ? std::string("parsed") : parsed.error().message();
  };
  EXPECT_EQ(with(""), "constant generation_bytes_posting is missing");
  EXPECT_EQ(with(R"({"name": "leaf_us", "value": 3})"), "constant leaf_us has no unit, page, commit or machine");
  EXPECT_EQ(with(R"({"name": "leaf_us", "value": -3})"), "constant leaf_us has no value of 0 or more");
  EXPECT_EQ(with(R"({"name": "x", "value": 3, "unit": "u", "page": "p", "commit": "c", "machine": "m"})"),
            "constant 'x' is unknown");
  EXPECT_FALSE(Constants::parse("[").has_value());
}

// Words and signs as in the file; numbers within a hundredth, as compilers round differently.
void expect_like(const std::string& text, const std::string& golden) {
  std::istringstream left(text), right(golden);
  std::string a, b;
  while (right >> b) {
    ASSERT_TRUE(left >> a) << "ends before " << b << "\n" << text;
    char *a_end = nullptr, *b_end = nullptr;
    const double x = std::strtod(a.c_str(), &a_end), y = std::strtod(b.c_str(), &b_end);
    ASSERT_EQ(std::string(a_end), b_end) << text;
    ASSERT_NEAR(x, y, 0.01 * std::abs(y) + 0.011) << text;
  }
  ASSERT_FALSE(left >> a) << "goes on with " << a;
}

TEST(Planner, ThreePlansAreAsTheyWere) {
  std::vector<std::pair<const char*, Wanted>> cases(3, {"small", usual()});
  cases[0].second.documents = 1e6;
  cases[0].second.machines = 4;
  cases[1].first = "large";
  cases[1].second.documents = 1e9;
  cases[1].second.rate = 2000;
  cases[1].second.machine_price = 2.5;
  cases[2].first = "gpu";
  cases[2].second.rate = 20'000;
  cases[2].second.gpus = 1;
  cases[2].second.cache_hits = 0.3;
  for (const auto& [name, wanted] : cases) {
    const auto plan = make_plan(wanted, Constants::built_in());
    ASSERT_TRUE(plan) << plan.error().message();
    const std::string file = std::string("tests/unit/tools/plan/golden/") + name + ".txt";
    if (std::getenv("FROND_WRITE_GOLDEN") != nullptr) std::ofstream(file) << to_text(*plan);
    std::ifstream in(file);
    std::stringstream golden;
    golden << in.rdbuf();
    SCOPED_TRACE(name);
    expect_like(to_text(*plan), golden.str());
    const auto json = nlohmann::json::parse(to_json(*plan));
    EXPECT_EQ(json["leaves"], plan->value("leaves"));
    EXPECT_EQ(json["why"].size() + 1, json.size());  // each has its reason
  }
}

}  // namespace
}  // namespace frond::tools::plan
