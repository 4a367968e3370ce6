#pragma once
// What a run of frond-papers writes: page.md, a page with the charts of plots/*.svg, and results.json.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/base/result.h"
#include "tools/papers/experiment.h"

namespace frond::tools::papers {

struct Run {
  std::string scale, date, program;    // program: name and version
  std::string processor, gpu, no_gpu;  // gpu or no_gpu is empty
  std::uint32_t cores = 1;
  std::uint64_t memory = 0;  // bytes
  unsigned threads = 1, rounds = 1;
  std::uint32_t seed = 1;
  std::vector<Outcome> outcomes;
};

enum class Beside : std::uint8_t {  // what lies beside the page
  kNothing,
  kScripts,  // results.json, and the scripts of plots/<plot_file()>
  kCharts,   // … and these
};
// Markdown.
std::string page_of(const Run& run, Beside beside);
// "ding-f7-1.svg": the n-th plot, from 1.
std::string plot_file(const Experiment& experiment, std::size_t number);
nlohmann::ordered_json json_of(const Run& run);

// kInvalid: there is something in the folder already.
Result<void> check_folder(const std::filesystem::path& folder);
// Makes the folder and writes all files. False: without charts, as there is no gnuplot; their scripts are written.
// kUnavailable: a file can't be written, or gnuplot failed; then the page is without charts.
Result<bool> write_report(const Run& run, const std::filesystem::path& folder);

}  // namespace frond::tools::papers
