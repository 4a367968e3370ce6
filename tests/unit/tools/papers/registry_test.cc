// The table of experiments covers what docs/papers.md promises.
#include "tools/papers/experiment.h"

#include <gtest/gtest.h>

#include <set>

namespace frond::tools::papers {

using namespace bench;
namespace {

TEST(PapersRegistry, HasEveryTableAndFigureOfThePapersOnce) {
  const std::vector<std::string> wanted = {
      "ding:t1",   "ding:t2",   "ding:t3",   "ding:f3", "ding:f4", "ding:f6", "ding:f7", "mallia:t1", "mallia:t2",
      "mallia:t3", "mallia:t4", "mallia:f3", "ao:t1",   "ao:t2",   "ao:t3",   "ao:t7",   "ao:f5",     "ao:f6",
      "ao:f7",     "ao:f8",     "ao:f9",     "wei:t4",  "wei:t5",  "wei:t6",  "wei:t7",  "wei:f10",   "wei:f11"};
  std::vector<std::string> got;
  for (const Experiment& each : all_experiments()) got.emplace_back(each.id);
  EXPECT_EQ(got, wanted);
}

TEST(PapersRegistry, SaysWhatEachExperimentIs) {
  std::set<std::pair<Paper, std::string_view>> numbers;
  for (const Experiment& each : all_experiments()) {
    EXPECT_TRUE(each.id.starts_with(info_of(each.paper).key)) << each.id;
    EXPECT_EQ(each.id[each.id.find(':') + 1], each.number.starts_with("Table") ? 't' : 'f') << each.id;
    EXPECT_TRUE(numbers.emplace(each.paper, each.number).second) << each.id << ": its number is another's";
    EXPECT_FALSE(each.title.empty() || each.data.empty()) << each.id;
    EXPECT_NE(each.run, nullptr) << each.id;
  }
}

TEST(PapersRegistry, FindsExperimentsByIdAndByPaper) {
  const std::vector<std::string> ids{"wei:t7", "ding:f7", "mallia"};
  const auto chosen = experiments_named(ids);
  ASSERT_TRUE(chosen.has_value()) << chosen.error().message();
  std::vector<std::string_view> got;
  for (const Experiment* each : *chosen) got.push_back(each->id);
  EXPECT_EQ(got, (std::vector<std::string_view>{"ding:f7", "mallia:t1", "mallia:t2", "mallia:t3", "mallia:t4",
                                                "mallia:f3", "wei:t7"}));
  EXPECT_EQ(experiments_named({})->size(), all_experiments().size());
}

TEST(PapersRegistry, NamesAnUnknownExperiment) {
  const std::vector<std::string> ids{"ding:t2", "ding:t9"};
  const auto chosen = experiments_named(ids);
  ASSERT_FALSE(chosen.has_value());
  EXPECT_EQ(chosen.error().code(), Code::kInvalid);
  EXPECT_EQ(chosen.error().message(), "--only: no experiment ding:t9; --list prints all");
}

}  // namespace
}  // namespace frond::tools::papers
