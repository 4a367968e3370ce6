// The page and the JSON of a run.
#include "tools/papers/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/scratch_folder.h"
#include "tools/papers/experiment.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

Run some_run() {
  Run run{.scale = "small",
          .date = "2026-11-23",
          .program = "frond",
          .processor = "a <processor>",
          .gpu = {},
          .no_gpu = "there is none",
          .outcomes = {}};
  const auto experiments = all_experiments();
  run.outcomes = {{.experiment = &experiments[0],
                   .exhibit = Exhibit{.tables = {{.title = "Speed & size",
                                                  .columns = {{"codec"}, {"ours", 2}, {"theirs", 2, true}},
                                                  .rows = {{"rice", 1234567.891, {}}, {"<b>", 2, -3456.7}}}},
                                      .plots = {{.title = "p", .x_title = "x", .y_title = "y"}},
                                      .notes = {"1 < 2"}},
                   .not_run = {},
                   .failed = {},
                   .seconds = 1.25},
                  {.experiment = &experiments[1], .exhibit = {}, .not_run = "it needs a GPU", .failed = {}},
                  {.experiment = &experiments[2], .exhibit = {}, .not_run = {}, .failed = "disk & all"}};
  return run;
}

TEST(PapersReport, IsAPageWithTablesChartsAndWhatIsMissing) {
  const std::string page = page_of(some_run(), Beside::kCharts);
  for (const char* part : {"a <processor>", "| 1,234,567.89 |", "| -3,456.70 |", "\\<b>", "- 1 < 2\n",
                           "![p](plots/ding-t1-1.svg)", "Not run: it needs a GPU.", "**Failed**: disk & all"})
    EXPECT_NE(page.find(part), std::string::npos) << part << " in\n" << page;
  EXPECT_NE(page_of(some_run(), Beside::kScripts).find("plots/ding-t1-1.svg.gnuplot is its script"), std::string::npos);
  const std::string alone = page_of(some_run(), Beside::kNothing);
  EXPECT_EQ(alone.find("plots/"), std::string::npos);
  EXPECT_EQ(alone.find("results.json"), std::string::npos);
}

TEST(PapersReport, HasNumbersInItsJson) {
  const auto json = json_of(some_run());
  const auto& first = json["experiments"][0];
  EXPECT_EQ(first["id"], "ding:t1");
  EXPECT_EQ(first["tables"][0]["rows"][0][1], 1234567.891);
  EXPECT_TRUE(first["tables"][0]["rows"][0][2].is_null());
  EXPECT_TRUE(first["tables"][0]["columns"][2]["paper"]);
  EXPECT_EQ(first["plots"][0]["file"], "plots/ding-t1-1.svg");
  EXPECT_EQ(json["experiments"][1]["not_run"], "it needs a GPU");
  EXPECT_EQ(json["experiments"][2]["failed"], "disk & all");
  EXPECT_TRUE(json["gpu"].is_null());
}

TEST(PapersReport, IsWrittenIntoANewOrEmptyFolderOnly) {
  const support::ScratchFolder folder;
  ASSERT_TRUE(check_folder(folder.path()));
  ASSERT_TRUE(check_folder(folder / "new"));
  const auto written = write_report(some_run(), folder / "new");
  ASSERT_TRUE(written.has_value()) << written.error().message();
  EXPECT_EQ(std::filesystem::exists(folder / "new" / "plots/ding-t1-1.svg"), *written) << "false without gnuplot";
  for (const char* file : {"page.md", "results.json", "plots/ding-t1-1.svg.gnuplot"})
    EXPECT_TRUE(std::filesystem::exists(folder / "new" / file)) << file;
  const auto again = check_folder(folder / "new");
  EXPECT_EQ(again.error().message(),
            "--out: " + (folder / "new").string() + " is there already, and is no empty folder");
  support::write_file(folder / "file", "");
  EXPECT_EQ(check_folder(folder / "file"), Code::kInvalid);
}

}  // namespace
}  // namespace frond::tools::papers
