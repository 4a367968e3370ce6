// Plots of `frond bench papers` against files that were looked at in a browser, light and dark. Where a change of the
// drawing is wanted: look at the new plots, then keep what the failing test prints.
#include <gtest/gtest.h>

#include "common/files/read.h"
#include "tools/bench/papers/svg_plot.h"

namespace frond::tools::bench::papers {
namespace {

void expect_golden(const Plot& plot, const std::string& name) {
  const auto golden = files::read_text("tests/golden/svg_plot/" + name, 1u << 20);
  ASSERT_TRUE(golden.has_value()) << svg_of(plot);
  EXPECT_EQ(svg_of(plot), *golden) << name;
}

TEST(GoldenSvgPlot, HasLines) {
  expect_golden({.title = "Delay & rate",
                 .x_title = "queries a second",
                 .y_title = "milliseconds",
                 .log_x = true,
                 .log_y = true,
                 .series = {{.name = "ours", .points = {{100, 0.5}, {1000, 0.7}, {20'000, 12}}},
                            {.name = "theirs", .points = {{50, 20}, {300, 90}}, .paper = true}}},
                "lines.svg");
}

TEST(GoldenSvgPlot, HasBars) {
  expect_golden({.title = "Bytes a docID",
                 .x_title = "codec",
                 .y_title = "bytes",
                 .categories = {"rice", "pfd", "<b>"},
                 .series = {{.name = "ours", .points = {{0, 0.58}, {1, 0.7}, {2, 0.9}}},
                            {.name = "theirs", .points = {{0, 0.6}, {2, 1.1}}, .paper = true}}},
                "bars.svg");
}

}  // namespace
}  // namespace frond::tools::bench::papers
