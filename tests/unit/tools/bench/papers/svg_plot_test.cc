// Plots as SVG where figures are awkward. tests/golden/svg_plot has whole files.
#include "tools/bench/papers/svg_plot.h"

#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>

#include <limits>
#include <sstream>

namespace frond::tools::bench::papers {
namespace {

void expect_xml(const std::string& text) {
  std::istringstream in(text);
  boost::property_tree::ptree tree;
  EXPECT_NO_THROW(boost::property_tree::read_xml(in, tree)) << text;
}

TEST(SvgPlot, IsWellFormedWhateverTheFigures) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool log : {false, true})
    for (const auto& points : std::vector<std::vector<std::pair<double, double>>>{{},
                                                                                  {{1, 1}},
                                                                                  {{0, 0}},
                                                                                  {{-5, -5}, {5, 5}},
                                                                                  {{1, nan}, {2, kInfinity}, {3, 4}},
                                                                                  {{1e-9, 1e12}, {1e9, 1}}}) {
      Plot plot{.title = "\"<&>\"", .x_title = "x", .y_title = "y", .log_x = log, .log_y = log};
      plot.series.push_back({.name = "a<b", .points = points});
      const std::string svg = svg_of(plot);
      expect_xml(svg);
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      EXPECT_EQ(svg.find("inf"), std::string::npos);
      plot.categories = {"one", "two"};
      expect_xml(svg_of(plot));
    }
  expect_xml(svg_of({.title = "nothing", .x_title = "", .y_title = ""}));
}

TEST(SvgPlot, LabelsTicksShortly) {
  EXPECT_EQ(tick_label(0), "0");
  EXPECT_EQ(tick_label(0.05), "0.05");
  EXPECT_EQ(tick_label(999), "999");
  EXPECT_EQ(tick_label(1500), "1.5 k");
  EXPECT_EQ(tick_label(2e6), "2 M");
  EXPECT_EQ(tick_label(1e10), "10 G");
}

}  // namespace
}  // namespace frond::tools::bench::papers
