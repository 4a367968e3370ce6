#pragma once
// What an experiment has found, as values: tables and plots. The page and the JSON (report.h) show them.
#include <string>
#include <vector>

#include "tools/bench/plot.h"
#include "tools/bench/table.h"

namespace frond::tools::papers {

using bench::Cell, bench::Column, bench::Plot, bench::Series, bench::Table, bench::grouped;

struct Exhibit {
  std::vector<Table> tables = {};
  std::vector<Plot> plots = {};
  std::vector<std::string> notes = {};  // what to know of these figures; sentences
};

}  // namespace frond::tools::papers
