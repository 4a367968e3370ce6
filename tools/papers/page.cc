// The page of a run, in Markdown.
#include <fmt/format.h>

#include <string>

#include "tools/papers/report.h"

namespace frond::tools::papers {
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
