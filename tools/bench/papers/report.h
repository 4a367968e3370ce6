#pragma once
// What a run of `frond bench papers` writes: index.html, a page that needs nothing but plots/*.svg beside it, and
// results.json.
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/base/result.h"
#include "tools/bench/papers/experiment.h"

namespace frond::tools::bench::papers {

struct Run {
  std::string scale, date, program;    // program: name and version
  std::string processor, gpu, no_gpu;  // gpu or no_gpu is empty
  std::uint32_t cores = 1;
  std::uint64_t memory = 0;  // bytes
  unsigned threads = 1, rounds = 1;
  std::uint32_t seed = 1;
  std::vector<Outcome> outcomes;
};

// Well-formed as XML, too. `plots/<file_of()>` are the images.
std::string html_of(const Run& run);
// "ding-f7-1.svg": the n-th plot, from 1.
std::string plot_file(const Experiment& experiment, std::size_t number);
nlohmann::ordered_json json_of(const Run& run);

// Makes the folder and writes all files. kInvalid: there is something in the folder already; kUnavailable: a file can't
// be written.
Result<void> check_folder(const std::filesystem::path& folder);
Result<void> write_report(const Run& run, const std::filesystem::path& folder);

}  // namespace frond::tools::bench::papers
