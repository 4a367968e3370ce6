// Scripts for gnuplot, and that it accepts them where it is installed.
#include "tools/bench/plot.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/scratch_folder.h"

namespace frond::tools::bench {
namespace {

Plot lines() {
  return {.title = "Delay \"now\"",
          .x_title = "rate",
          .y_title = "ms",
          .log_x = true,
          .series = {{.name = "ours", .points = {{10, 1.5}, {100, 2}}},
                     {.name = "nothing"},
                     {.name = "theirs", .points = {{10, 3}}, .paper = true}}};
}

TEST(Plots, AreScriptsWithTheirDataInThem) {
  const std::string script = script_of(lines(), "a.svg");
  for (const char* part :
       {"set output \"a.svg\"\n", "set title \"Delay \\\"now\\\"\"\n", "set logscale x\n",
        "\n10 1.5\n100 2\n\n\n10 3\n", "index 0 using 1:2 with linespoints linetype 1 title \"ours\"",
        "index 1 using 1:2 with linespoints linetype 2 dashtype 2 title \"theirs\""})
    EXPECT_NE(script.find(part), std::string::npos) << part << " in\n" << script;
  EXPECT_EQ(script.find('@'), std::string::npos);
  EXPECT_EQ(script.find("logscale y"), std::string::npos);
}

TEST(Plots, OfCategoriesAreBars) {
  const Plot plot{.title = "t",
                  .x_title = "codec",
                  .y_title = "ratio",
                  .categories = {"lrc", "rice"},
                  .series = {{.name = "ours", .points = {{0, 2}, {1, 3}}}, {.name = "theirs", .points = {{1, 4}}}}};
  const std::string script = script_of(plot, "a.svg");
  EXPECT_NE(script.find("\"lrc\" 2 NaN\n\"rice\" 3 4\n"), std::string::npos) << script;
  EXPECT_NE(script.find("$data using 3:xtic(1) linetype 2 title \"theirs\""), std::string::npos) << script;
}

TEST(Plots, AreDrawnWhateverTheFigures) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const support::ScratchFolder folder;
  std::vector<Plot> plots = {lines(), {.title = "nothing", .x_title = "", .y_title = ""}};
  for (const bool log : {false, true}) {
    plots.push_back({.title = "one", .x_title = "@x@", .y_title = "END", .log_x = log, .log_y = log});
    plots.back().series = {{.name = "a", .points = {{1, 1}, {2, kInfinity}, {3, 0}}}};
    plots.push_back(plots.back());
    plots.back().categories = {"one", "two_\\", "\"three\"", "four"};
  }
  for (std::size_t p = 0; p < plots.size(); ++p) {
    const auto svg = folder / (std::to_string(p) + ".svg");
    const auto drawn = draw_plot(plots[p], svg);
    ASSERT_TRUE(drawn.has_value()) << p << ": " << drawn.error().message();
    EXPECT_EQ(std::filesystem::exists(svg), *drawn) << "false where gnuplot is not installed";
    EXPECT_TRUE(std::filesystem::exists(script_path(svg)));
  }
  EXPECT_EQ(draw_plot(lines(), "/no/such/folder/a.svg"), Code::kUnavailable);
}

}  // namespace
}  // namespace frond::tools::bench
