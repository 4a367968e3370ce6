// The page: index.html of a run.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tools/bench/papers/report.h"
#include "tools/bench/papers/svg_plot.h"

namespace frond::tools::bench::papers {
namespace {

constexpr std::string_view kPageStyle = R"(<style>
:root { color-scheme: light dark; --back: #fff; --text: #222; --weak: #666; --rule: #ddd; --theirs: #f3f1ea; --link: #0b5cad; --bad: #a3260b }
@media (prefers-color-scheme: dark) {
  :root { --back: #16181c; --text: #ddd; --weak: #9aa0a8; --rule: #34373d; --theirs: #24262b; --link: #7db8f5; --bad: #f08a6b }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem; max-width: 64rem; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif }
h1 { font-size: 1.6rem; margin: 0 0 .5rem } h2 { font-size: 1.25rem; margin: 2.5rem 0 .25rem; border-bottom: 1px solid var(--rule) } h3 { font-size: 1.05rem; margin: 2rem 0 .25rem }
a { color: var(--link) } p { margin: .4rem 0 } .weak { color: var(--weak); font-size: .88rem } .bad { color: var(--bad) }
ul.notes { margin: .4rem 0; padding-left: 1.1rem; color: var(--weak); font-size: .88rem }
nav ul { margin: .2rem 0 .6rem; padding-left: 1.1rem; columns: 2 20rem } nav li { break-inside: avoid }
.wide { overflow-x: auto; margin: .6rem 0 }
table { border-collapse: collapse; font-size: .88rem } caption { text-align: left; font-weight: 600; padding: .2rem 0; white-space: nowrap }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
th { font-weight: 600; vertical-align: bottom; white-space: normal } th:first-child, td:first-child, .words { text-align: left }
.theirs { background: var(--theirs) }
img { display: block; max-width: 100%; height: auto; border: 1px solid var(--rule); border-radius: 4px; margin: .6rem 0 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .6rem 0; font-size: .92rem } dt { color: var(--weak) } dd { margin: 0 }
blockquote { margin: .5rem 0; padding: .2rem .8rem; border-left: 3px solid var(--rule); background: var(--theirs) }
</style>
)";

std::string anchor(const Experiment& experiment) {
  std::string name(experiment.id);
  std::replace(name.begin(), name.end(), ':', '-');
  return name;
}

std::string cell_html(const Cell& cell, const Column& column) {
  const std::string style = column.paper ? " theirs" : "";
  if (const auto* number = cell.number())
    return fmt::format("<td class=\"number{}\">{}</td>", style, grouped(*number, column.digits));
  if (const auto* text = cell.text()) return fmt::format("<td class=\"words{}\">{}</td>", style, escaped(*text));
  return fmt::format("<td class=\"number{}\">–</td>", style);
}

std::string table_html(const Table& table) {
  std::string out = fmt::format("<div class=\"wide\"><table><caption>{}</caption>\n<thead><tr>", escaped(table.title));
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    const bool words =
        std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row[c].text(); });
    out += fmt::format("<th class=\"{}{}\">{}</th>", words ? "words" : "number", column.paper ? " theirs" : "",
                       escaped(column.title));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) out += cell_html(row[c], table.columns[c]);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string outcome_html(const Outcome& outcome) {
  const Experiment& experiment = *outcome.experiment;
  std::string out = fmt::format("<h3 id=\"{}\">{}: {}</h3>\n", anchor(experiment), escaped(experiment.number),
                                escaped(experiment.title));
  if (!outcome.not_run.empty()) return out + fmt::format("<p>Not run: {}.</p>\n", escaped(outcome.not_run));
  if (!outcome.failed.empty()) return out + fmt::format("<p class=\"bad\">Failed: {}</p>\n", escaped(outcome.failed));
  // What is measured already for another takes no time.
  out += fmt::format("<p class=\"weak\"><code>{}</code>, on {}; {}</p>\n", escaped(experiment.id),
                     escaped(experiment.data),
                     outcome.seconds < 0.05 ? "measured with those above" : fmt::format("{:.1f} s", outcome.seconds));
  if (!experiment.words.empty())
    out += fmt::format("<blockquote>The paper: {}</blockquote>\n", escaped(experiment.words));
  for (std::size_t p = 0; p < outcome.exhibit->plots.size(); ++p)
    out += fmt::format("<img src=\"plots/{}\" alt=\"{}\" width=\"760\"/>\n", plot_file(experiment, p + 1),
                       escaped(outcome.exhibit->plots[p].title));
  for (const Table& table : outcome.exhibit->tables) out += table_html(table);
  if (outcome.exhibit->notes.empty()) return out;
  out += "<ul class=\"notes\">\n";
  for (const std::string& note : outcome.exhibit->notes) out += fmt::format("<li>{}</li>\n", escaped(note));
  return out + "</ul>\n";
}

std::string heading_html(const Run& run) {
  const auto row = [](std::string_view name, std::string_view value) {
    return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(value));
  };
  std::string out =
      "<h1>The papers' experiments on this machine</h1>\n<p>Tables and figures of the four papers that Frond is built "
      "from, "
      "measured on this machine. Columns with a background are the papers' own figures, from their machines and "
      "collections; all other columns are ours, on made-up data, unless a line says otherwise.</p>\n<dl>\n";
  out += row("Processor",
             fmt::format("{}, {} cores, {:.0f} GB", run.processor, run.cores, static_cast<double>(run.memory) * 1e-9));
  out += row("GPU", run.gpu.empty() ? run.no_gpu : run.gpu);
  out += row("Run", fmt::format("scale {}, {} threads, median of {} rounds, seed {}", run.scale, run.threads,
                                run.rounds, run.seed));
  out += row("Made by", fmt::format("{}, {}", run.program, run.date));
  return out + "</dl>\n<p>All figures as JSON: <a href=\"results.json\">results.json</a></p>\n";
}

std::string contents_html(const Run& run) {
  std::string out = "<nav>\n";
  for (const Paper paper : kPapers) {
    std::string items;
    for (const Outcome& outcome : run.outcomes) {
      const Experiment& each = *outcome.experiment;
      if (each.paper != paper) continue;
      const char* after = !outcome.not_run.empty() ? " (not run)" : !outcome.failed.empty() ? " (failed)" : "";
      items += fmt::format("<li><a href=\"#{}\">{}: {}</a>{}</li>\n", anchor(each), escaped(each.number),
                           escaped(each.title), after);
    }
    if (items.empty()) continue;
    out += fmt::format("<strong>{}</strong>\n<ul>\n{}</ul>\n", escaped(info_of(paper).title), items);
  }
  return out + "</nav>\n";
}

// All that is missing, in one place.
std::string missing_html(const Run& run) {
  std::string rows;
  for (const Outcome& outcome : run.outcomes)
    if (!outcome.exhibit)
      rows += fmt::format("<li><a href=\"#{}\"><code>{}</code></a> {}</li>\n", anchor(*outcome.experiment),
                          escaped(outcome.experiment->id),
                          escaped(outcome.failed.empty() ? outcome.not_run : "failed: " + outcome.failed));
  return rows.empty() ? "" : fmt::format("<h2>Not run</h2>\n<ul>\n{}</ul>\n", rows);
}

}  // namespace

std::string html_of(const Run& run) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head><meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>Frond: the papers' experiments</title>\n";
  out += kPageStyle;
  out += "</head>\n<body>\n" + heading_html(run) + contents_html(run);
  for (const Paper paper : kPapers) {
    std::string section;
    for (const Outcome& outcome : run.outcomes)
      if (outcome.experiment->paper == paper) section += outcome_html(outcome);
    if (section.empty()) continue;
    out += fmt::format("<h2>{}</h2>\n<p class=\"weak\">Theirs: {}.</p>\n{}", escaped(info_of(paper).title),
                       escaped(info_of(paper).machine), section);
  }
  return out + missing_html(run) + "</body>\n</html>\n";
}

}  // namespace frond::tools::bench::papers
