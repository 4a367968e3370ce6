// Every experiment on very little data: none fails, and what they find can be shown.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/scratch_folder.h"
#include "tools/papers/experiment.h"
#include "tools/papers/run_experiments.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

const Sizes kTiny{.name = "tiny",
                  .gov_documents = 20'000,
                  .gov2_documents = 20'000,
                  .clueweb_documents = 20'000,
                  .max_postings = 100'000,
                  .coded_queries = 20,
                  .searched_queries = 20,
                  .intersected_queries = 20,
                  .sparse = 9,
                  .dense = 12,
                  .lengths = {9, 12},
                  .pairs = {1'000},
                  .thresholds = {1'024},
                  .device_integers = 1u << 16,
                  .gpu_bytes = 512u << 20,
                  .rounds = 1,
                  .arrivals = 200,
                  .rates = 3,
                  .text_bytes = 300'000};

std::size_t numbers_in(const nlohmann::ordered_json& value) {
  if (value.is_number()) return 1;
  std::size_t count = 0;
  if (value.is_structured())
    for (const auto& part : value) count += numbers_in(part);
  return count;
}

TEST(PapersRun, RunsEveryExperimentThatThisMachineCan) {
  std::size_t seen = 0;
  const auto run = run_experiments(
      {.only = {}, .sizes = kTiny, .threads = 2, .seed = 1, .after_each = [&](const Outcome&) { ++seen; }});
  ASSERT_TRUE(run.has_value()) << run.error().message();
  EXPECT_EQ(seen, all_experiments().size());
  const auto json = json_of(*run);
  for (std::size_t i = 0; i < run->outcomes.size(); ++i) {
    const Outcome& outcome = run->outcomes[i];
    const std::string_view id = outcome.experiment->id;
    EXPECT_EQ(outcome.failed, "") << id;
    if (outcome.experiment->needs == Needs::kGpu && run->gpu.empty()) {
      EXPECT_EQ(outcome.not_run, "it needs a GPU; " + run->no_gpu) << id;
      continue;
    }
    ASSERT_TRUE(outcome.exhibit.has_value()) << id;
    EXPECT_FALSE(outcome.exhibit->tables.empty() && outcome.exhibit->plots.empty()) << id;
    for (const Table& table : outcome.exhibit->tables) {
      EXPECT_FALSE(table.rows.empty()) << id;
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << id << ": " << table.title;
    }
    EXPECT_GT(numbers_in(json["experiments"][i]["tables"]) + numbers_in(json["experiments"][i]["plots"]), 3u) << id;
  }
  const support::ScratchFolder folder;
  const auto written = write_report(*run, folder.path());
  EXPECT_TRUE(written.has_value()) << written.error().message();
}

TEST(PapersRun, NamesAnExperimentThatThereIsNot) {
  const auto run = run_experiments({.only = {"ao:t9"}, .sizes = kTiny, .threads = 1, .seed = 1, .after_each = {}});
  EXPECT_EQ(run, Code::kInvalid);
}

}  // namespace
}  // namespace frond::tools::papers
