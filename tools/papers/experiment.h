#pragma once
// A table or figure of a paper that frond-papers runs.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "tools/bench/plot.h"
#include "tools/bench/table.h"

namespace frond::tools::papers {

// What an experiment has found, as values: tables and plots. The page and the JSON (report.h) show them.
using bench::Cell, bench::Column, bench::Plot, bench::Series, bench::Table, bench::grouped;

struct Exhibit {
  std::vector<Table> tables = {};
  std::vector<Plot> plots = {};
  std::vector<std::string> notes = {};  // what to know of these figures; sentences
};

class Workbench;

enum class Paper : std::uint8_t { kDing, kMallia, kAo, kWei };
inline constexpr std::array<Paper, 4> kPapers = {Paper::kDing, Paper::kMallia, Paper::kAo, Paper::kWei};
struct PaperInfo {
  std::string_view key, title;  // key: of ids, "ding"
  std::string_view machine;     // what the paper measured on
};
const PaperInfo& info_of(Paper paper);

enum class Needs : std::uint8_t {
  kCpu,     // nothing else
  kEither,  // rows of a GPU are left out where there is none
  kGpu,
};
std::string_view name_of(Needs needs);

struct Experiment {
  std::string_view id;  // "ding:t1": paper, t or f, number
  Paper paper = Paper::kDing;
  std::string_view number, title;  // "Table 1", what it shows
  Needs needs = Needs::kCpu;
  std::string_view data;  // what it is measured on
  // Errors: those of the measurement.
  Result<Exhibit> (*run)(Workbench&) = nullptr;
  std::string_view words;  // what the paper says of it beside the figures in our tables; empty: nothing
};

// An experiment's result: an exhibit, or why there is none.
struct Outcome {
  const Experiment* experiment = nullptr;
  std::optional<Exhibit> exhibit;
  std::string not_run;  // a reason; the experiment was not tried
  std::string failed;   // an error
  double seconds = 0;
};

// The experiments of frond-papers, in one table: a new one is a line there and a function in experiments.h. By paper;
// tables, then figures.
std::span<const Experiment> all_experiments();

// Those with these ids, in the table's order; a paper's key stands for all of its own. Empty: all. kInvalid: names the
// id that there is not.
Result<std::vector<const Experiment*>> experiments_named(std::span<const std::string> ids);

}  // namespace frond::tools::papers
