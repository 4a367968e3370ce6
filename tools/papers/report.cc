#include "tools/papers/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <system_error>

#include "common/files/write.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

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
  for (const Plot& plot : outcome.exhibit->plots) {
    plots.push_back(as_json(plot));
    plots.back()["file"] = "plots/" + plot_file(experiment, plots.size());
  }
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

Result<bool> write_report(const Run& run, const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder / "plots", failure);
  if (failure) return Error(Code::kUnavailable, folder.string() + ": " + failure.message());
  FROND_TRY(files::replace_file(folder / "results.json", json_of(run).dump(1) + "\n"));
  Result<bool> charts = true;
  for (const Outcome& outcome : run.outcomes) {
    const std::size_t plots = outcome.exhibit ? outcome.exhibit->plots.size() : 0;
    for (std::size_t p = 0; p < plots; ++p) {
      auto drawn = draw_plot(outcome.exhibit->plots[p], folder / "plots" / plot_file(*outcome.experiment, p + 1));
      if (!drawn || !*drawn) charts = std::move(drawn);
    }
  }
  FROND_TRY(
      files::replace_file(folder / "page.md", page_of(run, charts && *charts ? Beside::kCharts : Beside::kScripts)));
  return charts;
}

}  // namespace frond::tools::papers
