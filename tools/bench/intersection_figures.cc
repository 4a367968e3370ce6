#include "tools/bench/intersection_figures.h"

#include <algorithm>
#include <iterator>

namespace frond::tools::bench {
namespace {

constexpr std::string_view kGov = "gov/input", kGovR = "gov/random";
constexpr std::string_view kTable3 = "Ao 2011, Table 3", kTables37 = "Ao 2011, Tables 3 and 7";

constexpr IntersectionFigure kIntersectionFigures[] = {
    {kGov, "binary", 0, 0, 14.59, kTable3},
    {kGov, "linear-regression", 0, 0, 16.22, kTable3},
    {kGov, "interpolation", 0, 0, 8.69, kTable3},
    {kGov, "hash-segmentation:32", 0, 0, 22.14, kTable3},
    {kGov, "hash-segmentation:16", 91'382, 0, 23.29, "Ao 2011, 5.1.1 (Figure 5), Table 3"},
    {kGov, "lrc", 42'336, 2.88, 10.79, kTables37},
    {kGov, "lrcseg", 42'347, 2.88, 10.79, kTables37},
    {kGov, "seglrc", 47'335, 2.57, 12.07, kTables37},
    {kGov, "hs-lrc", 55'955, 2.18, 14.26, "Ao 2011, Tables 3 and 7 (HS256_LRC)"},
    {kGov, "parapfor:0", 15'879, 7.66, 4.05, "Ao 2011, Tables 3 and 7 (ParaPFD, 0.2)"},
    {kGov, kParaPfdWithoutExceptions, 22'998, 5.29, 5.86, "Ao 2011, Tables 3 and 7 (ParaPFD, 0.0)"},
    {kGovR, "binary", 0, 0, 14.29, kTable3},
    {kGovR, "linear-regression", 0, 0, 16.19, kTable3},
    {kGovR, "interpolation", 0, 0, 9.48, kTable3},
    {kGovR, "hash-segmentation:32", 0, 0, 20.96, kTable3},
    {kGovR, "hash-segmentation:16", 0, 0, 22.01, kTable3},
    {kGovR, "lrc", 43'034, 2.83, 10.97, kTables37},
    {kGovR, "lrcseg", 43'078, 2.83, 10.98, kTables37},
    {kGovR, "seglrc", 48'078, 2.50, 12.42, kTables37},
    {kGovR, "parapfor:0", 15'587, 7.81, 3.97, "Ao 2011, Tables 3 and 7 (ParaPFD, 0.2)"},
    {kGovR, kParaPfdWithoutExceptions, 22'639, 5.38, 5.77, "Ao 2011, Tables 3 and 7 (ParaPFD, 0.0)"},
    {kGovR, "hs-lrc", 55'735, 2.18, 14.21, "Ao 2011, Tables 3 and 7 (HS256_LRC)"},
};

constexpr LinearityFigure kLinearity[] = {
    {kGov, 1, 100'000, 0.2423, 0.9745},        {kGov, 100'000, 200'000, 0.0375, 0.9996},
    {kGov, 200'000, 400'000, 0.0306, 0.9997},  {kGov, 400'000, 600'000, 0.0186, 0.9999},
    {kGov, 600'000, 800'000, 0.0069, 0.9999},  {kGov, 800'000, 1'000'000, 0.0060, 0.9999},
    {kGovR, 1, 100'000, 0.1338, 0.9902},       {kGovR, 100'000, 200'000, 0.0030, 0.9999},
    {kGovR, 200'000, 400'000, 0.0019, 0.9999}, {kGovR, 400'000, 600'000, 0.0012, 0.9999},
    {kGovR, 600'000, 800'000, 0.0008, 0.9999}, {kGovR, 800'000, 1'000'000, 0.0006, 0.9999},
};

}  // namespace

std::optional<IntersectionFigure> intersection_figure(std::string_view set, std::string_view method) {
  const auto* found =
      std::find_if(std::begin(kIntersectionFigures), std::end(kIntersectionFigures),
                   [&](const IntersectionFigure& each) { return each.set == set && each.method == method; });
  return found == std::end(kIntersectionFigures) ? std::nullopt : std::optional(*found);
}

std::optional<LinearityFigure> linearity_figure(std::string_view set, std::uint32_t length) {
  const auto* found = std::find_if(std::begin(kLinearity), std::end(kLinearity), [&](const LinearityFigure& each) {
    return each.set == set && each.begin <= length && length < each.end;
  });
  return found == std::end(kLinearity) ? std::nullopt : std::optional(*found);
}

}  // namespace frond::tools::bench
