#pragma once
// What queries cost on each processor and what was predicted, as a file: `frond bench schedule --train` writes it, the
// simulation reads it. A line with spaces between for each query, after the header:
//
//   frond-schedule-trace 1
//   launch_us 45.2
//   batch 1 4.2                what a query adds to a batch of one, by what it adds to one of 64; sizes ascend
//   812.5 5.1 790 5.6          CPU, GPU (in a batch of 64), predicted CPU, predicted GPU: microseconds
//   95.1 0 90 0                GPU 0: its lists are not on the GPU
//
// What follows # in a line is ignored.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "tools/bench/schedule/schedule_simulation.h"

namespace frond::tools::bench {

struct ScheduleTrace {
  double launch_us = 45;
  std::vector<leaf::schedule::CostModel::BatchScale> scales;
  std::vector<SimulatedQuery> queries;
};

// kInvalid: names the line and what is wrong there; or there is no query.
Result<ScheduleTrace> parse_schedule_trace(std::string_view text);
// The same from a file. kNotFound: it can't be read. Errors name the file.
Result<ScheduleTrace> read_schedule_trace(const std::filesystem::path& file);
// `comment`: a line for the head of the file.
std::string schedule_trace_text(const ScheduleTrace& trace, std::string_view comment);

}  // namespace frond::tools::bench
