#include "tools/bench/plot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/files/write.h"

namespace frond::tools::bench {
namespace embedded {
std::string_view plot_gnuplot();  // the template of charts, compiled in by cmake/EmbedFiles.cmake
}
namespace {

// A string of gnuplot.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

// How the n-th curve looks, and its name.
std::string style_of(const Series& series, std::size_t n) {
  return fmt::format("linetype {}{} title {}", n % 8 + 1, series.paper ? " dashtype 2" : "", in_quotes(series.name));
}

bool is_shown(double value, bool log) { return std::isfinite(value) && (!log || value > 0); }

// A block of data a series, with two empty lines between.
void add_lines(const Plot& plot, std::string& data, std::vector<std::string>& curves) {
  for (const Series& series : plot.series) {
    std::string points;
    for (const auto& [x, y] : series.points)
      if (is_shown(x, plot.log_x) && is_shown(y, plot.log_y)) points += fmt::format("{:.10g} {:.10g}\n", x, y);
    if (points.empty()) continue;
    data += points + "\n\n";
    curves.push_back(
        fmt::format("$data index {} using 1:2 with linespoints {}", curves.size(), style_of(series, curves.size())));
  }
}

// A line a category, a column a series.
void add_bars(const Plot& plot, std::string& data, std::vector<std::string>& curves) {
  bool any = false;
  for (std::size_t c = 0; c < plot.categories.size(); ++c) {
    data += in_quotes(plot.categories[c]);
    for (const Series& series : plot.series) {
      std::string value = "NaN";
      for (const auto& [x, y] : series.points)
        if (static_cast<std::size_t>(x) == c && is_shown(y, plot.log_y)) value = fmt::format("{:.10g}", y);
      data += ' ' + value;
      any |= value != "NaN";
    }
    data += '\n';
  }
  if (!any) return;
  for (const Series& series : plot.series)
    curves.push_back(fmt::format("$data using {}:xtic(1) {}", curves.size() + 2, style_of(series, curves.size())));
}

Result<bool> run_gnuplot(const std::filesystem::path& script) {
  std::string program = "gnuplot", file = script.filename().string();
  char* const arguments[] = {program.data(), file.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string folder = script.has_parent_path() ? script.parent_path().string() : ".";
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int failure = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure == ENOENT) return false;
  if (failure != 0) return Error(Code::kUnavailable, std::string("gnuplot: ") + std::strerror(failure));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Error(Code::kUnavailable, "gnuplot failed on " + script.string());
  return true;
}

}  // namespace

nlohmann::ordered_json as_json(const Plot& plot) {
  auto all = nlohmann::ordered_json::array();
  for (const Series& series : plot.series)
    all.push_back({{"name", series.name}, {"paper", series.paper}, {"points", series.points}});
  nlohmann::ordered_json out{{"title", plot.title}, {"x", plot.x_title}, {"y", plot.y_title}};
  if (!plot.categories.empty()) out["categories"] = plot.categories;
  out["series"] = all;
  return out;
}

std::string script_of(const Plot& plot, const std::string& svg) {
  const bool bars = !plot.categories.empty();
  std::string data, axes = bars ? "set style data histogram\nset style fill solid 0.8\nset yrange [0:*]\n" : "";
  if (plot.log_x && !bars) axes += "set logscale x\nset format x \"%.0s%c\"\n";
  if (plot.log_y) axes += std::string(bars ? "set yrange [*:*]\n" : "") + "set logscale y\n";
  std::vector<std::string> curves;
  (bars ? add_bars : add_lines)(plot, data, curves);
  // gnuplot refuses to plot nothing without a range.
  if (curves.empty()) {
    axes += "set xrange [1:10]\nset yrange [1:10]\n";
    curves = {"1/0 notitle"};
  }
  const std::pair<std::string_view, std::string> parts[] = {
      {"svg", in_quotes(svg)},
      {"title", in_quotes(plot.title)},
      {"x_title", in_quotes(plot.x_title)},
      {"axes", axes},
      {"data", data},
      {"y_title", in_quotes(plot.y_title)},
      {"curves", fmt::format("{}", fmt::join(curves, ", \\\n     "))}};
  std::string_view rest = embedded::plot_gnuplot();
  std::string out;
  while (!rest.empty()) {
    const auto at = std::min(rest.find('@'), rest.size());
    out += rest.substr(0, at);
    rest.remove_prefix(at);
    if (rest.empty()) break;
    const auto end = rest.find('@', 1);
    for (const auto& [name, text] : parts)
      if (rest.substr(1, end - 1) == name) out += text;
    rest.remove_prefix(end + 1);
  }
  return out;
}

std::filesystem::path script_path(const std::filesystem::path& svg) { return svg.string() + ".gnuplot"; }

Result<bool> draw_plot(const Plot& plot, const std::filesystem::path& svg) {
  FROND_TRY(files::replace_file(script_path(svg), script_of(plot, svg.filename().string())));
  return run_gnuplot(script_path(svg));
}

}  // namespace frond::tools::bench
