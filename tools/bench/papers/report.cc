#include "tools/bench/papers/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <system_error>

#include "common/files/write.h"
#include "tools/bench/papers/svg_plot.h"

namespace frond::tools::bench::papers {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

ordered_json as_json(const Cell& cell) {
  if (const auto* number = cell.number()) return *number;
  return cell.text() ? ordered_json(*cell.text()) : ordered_json();
}

ordered_json as_json(const Table& table) {
  auto columns = ordered_json::array(), rows = ordered_json::array();
  for (const Column& column : table.columns) columns.push_back({{"title", column.title}, {"paper", column.paper}});
  for (const auto& row : table.rows) {
    auto cells = ordered_json::array();
    for (const Cell& cell : row) cells.push_back(as_json(cell));
    rows.push_back(std::move(cells));
  }
  return {{"title", table.title}, {"columns", columns}, {"rows", rows}};
}

ordered_json as_json(const Plot& plot, const std::string& file) {
  auto all = ordered_json::array();
  for (const Series& series : plot.series) {
    auto points = ordered_json::array();
    for (const auto& [x, y] : series.points) points.push_back({x, y});
    all.push_back({{"name", series.name}, {"paper", series.paper}, {"points", points}});
  }
  ordered_json out{{"title", plot.title}, {"file", file}, {"x", plot.x_title}, {"y", plot.y_title}};
  if (!plot.categories.empty()) out["categories"] = plot.categories;
  out["series"] = all;
  return out;
}

ordered_json as_json(const Outcome& outcome) {
  const Experiment& experiment = *outcome.experiment;
  ordered_json out{{"id", experiment.id},       {"paper", info_of(experiment.paper).key}, {"number", experiment.number},
                   {"title", experiment.title}, {"needs", name_of(experiment.needs)},     {"data", experiment.data}};
  if (!experiment.words.empty()) out["words"] = experiment.words;
  if (!outcome.not_run.empty()) out["not_run"] = outcome.not_run;
  if (!outcome.failed.empty()) out["failed"] = outcome.failed;
  if (!outcome.exhibit) return out;
  out["seconds"] = outcome.seconds;
  auto tables = ordered_json::array(), plots = ordered_json::array();
  for (const Table& table : outcome.exhibit->tables) tables.push_back(as_json(table));
  for (std::size_t p = 0; p < outcome.exhibit->plots.size(); ++p)
    plots.push_back(as_json(outcome.exhibit->plots[p], "plots/" + plot_file(experiment, p + 1)));
  out["tables"] = tables;
  out["plots"] = plots;
  out["notes"] = outcome.exhibit->notes;
  return out;
}

}  // namespace

std::string plot_file(const Experiment& experiment, std::size_t number) {
  std::string name(experiment.id);
  std::replace(name.begin(), name.end(), ':', '-');
  return fmt::format("{}-{}.svg", name, number);
}

ordered_json json_of(const Run& run) {
  auto experiments = ordered_json::array();
  for (const Outcome& outcome : run.outcomes) experiments.push_back(as_json(outcome));
  return {{"program", run.program},
          {"date", run.date},
          {"scale", run.scale},
          {"processor", run.processor},
          {"cores", run.cores},
          {"memory_bytes", run.memory},
          {"gpu", run.gpu.empty() ? ordered_json() : ordered_json(run.gpu)},
          {"no_gpu", run.no_gpu.empty() ? ordered_json() : ordered_json(run.no_gpu)},
          {"threads", run.threads},
          {"rounds", run.rounds},
          {"seed", run.seed},
          {"experiments", experiments}};
}

Result<void> check_folder(const fs::path& folder) {
  std::error_code failure;
  if (!fs::exists(folder, failure)) return {};
  const bool empty = fs::is_directory(folder, failure) && fs::is_empty(folder, failure);
  if (failure) return Error(Code::kUnavailable, folder.string() + ": " + failure.message());
  if (!empty) return Error(Code::kInvalid, "--out: " + folder.string() + " is there already, and is no empty folder");
  return {};
}

Result<void> write_report(const Run& run, const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder / "plots", failure);
  if (failure) return Error(Code::kUnavailable, folder.string() + ": " + failure.message());
  for (const Outcome& outcome : run.outcomes) {
    if (!outcome.exhibit) continue;
    for (std::size_t p = 0; p < outcome.exhibit->plots.size(); ++p)
      FROND_TRY(files::replace_file(folder / "plots" / plot_file(*outcome.experiment, p + 1),
                                    svg_of(outcome.exhibit->plots[p])));
  }
  FROND_TRY(files::replace_file(folder / "results.json", json_of(run).dump(1) + "\n"));
  return files::replace_file(folder / "index.html", html_of(run));
}

}  // namespace frond::tools::bench::papers
