#pragma once
// Charts, drawn by gnuplot from the template plot.gnuplot.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/base/result.h"

namespace frond::tools::bench {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points = {};  // x, y; of bars: number of the category, y
  bool paper = false;                                  // a paper's figures, not ours: dashed
};

// Lines, or bars if there are categories. Leaves out what is not positive where an axis is logarithmic.
struct Plot {
  std::string title, x_title, y_title;
  bool log_x = false, log_y = false;
  std::vector<std::string> categories = {};
  std::vector<Series> series = {};
};

nlohmann::ordered_json as_json(const Plot& plot);

// The script that draws `plot` into the file `svg` of the folder it runs in.
std::string script_of(const Plot& plot, const std::string& svg);
// Where the script of a chart lies: beside it.
std::filesystem::path script_path(const std::filesystem::path& svg);

inline constexpr const char* kNoGnuplot = "no gnuplot here (Debian: gnuplot-nox)";
// Writes the script beside `svg` and runs gnuplot on it. True: `svg` was written. False: there is no gnuplot.
// kUnavailable: a file can't be written, or gnuplot failed.
Result<bool> draw_plot(const Plot& plot, const std::filesystem::path& svg);

}  // namespace frond::tools::bench
