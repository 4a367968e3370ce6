#include "tools/papers/report.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

// The page of a run, in Markdown.
namespace {

std::string chart(const Experiment& experiment, std::size_t number, const Plot& plot, Beside beside) {
  if (beside == Beside::kNothing) return {};
  const std::string svg = "plots/" + plot_file(experiment, number);
  if (beside == Beside::kCharts) return fmt::format("![{}]({})\n\n", plot.title, svg);
  return fmt::format("{}: no chart without gnuplot; {} is its script.\n\n", plot.title,
                     bench::script_path(svg).string());
}

std::string section(const Outcome& outcome, Beside beside) {
  const Experiment& experiment = *outcome.experiment;
  std::string out = fmt::format("### {}: {}\n", experiment.number, experiment.title);
  if (!outcome.not_run.empty()) return out + fmt::format("Not run: {}.\n\n", outcome.not_run);
  if (!outcome.failed.empty()) return out + fmt::format("**Failed**: {}\n\n", outcome.failed);
  // What is measured already for another takes no time.
  out += fmt::format("`{}`, on {}; {}\n\n", experiment.id, experiment.data,
                     outcome.seconds < 0.05 ? "measured with those above" : fmt::format("{:.1f} s", outcome.seconds));
  if (!experiment.words.empty()) out += fmt::format("> The paper: {}\n\n", experiment.words);
  for (std::size_t p = 0; p < outcome.exhibit->plots.size(); ++p)
    out += chart(experiment, p + 1, outcome.exhibit->plots[p], beside);
  for (const Table& table : outcome.exhibit->tables) out += fmt::format("{}:\n\n{}\n", table.title, text_of(table));
  for (const std::string& note : outcome.exhibit->notes) out += fmt::format("- {}\n", note);
  return out + "\n";
}

}  // namespace

std::string page_of(const Run& run, Beside beside) {
  std::string out = fmt::format(
      "# The papers' experiments on this machine\n"
      "Tables and figures of the four papers that Frond is built from, measured on this machine. Columns and rows "
      "called theirs are the papers' own figures, from their machines and collections; all others are ours, on made-up "
      "data, unless a line says otherwise.\n\n"
      "- Processor: {}, {} cores, {:.0f} GB\n- GPU: {}\n"
      "- Run: scale {}, {} threads, median of {} rounds, seed {}\n- Made by: {}, {}\n\n",
      run.processor, run.cores, static_cast<double>(run.memory) * 1e-9, run.gpu.empty() ? run.no_gpu : run.gpu,
      run.scale, run.threads, run.rounds, run.seed, run.program, run.date);
  if (beside != Beside::kNothing) out += "All figures as JSON: [results.json](results.json)\n\n";
  for (const Paper paper : kPapers) {
    std::string sections;
    for (const Outcome& outcome : run.outcomes)
      if (outcome.experiment->paper == paper) sections += section(outcome, beside);
    if (!sections.empty())
      out += fmt::format("## {}\nTheirs: {}.\n\n{}", info_of(paper).title, info_of(paper).machine, sections);
  }
  return out;
}

}  // namespace frond::tools::papers
