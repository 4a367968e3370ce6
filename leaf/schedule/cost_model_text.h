#pragma once
// A cost model as a file that people can read and edit:
//
//   frond-cost-model 1
//   # what it was trained on, in comments
//   launch_us 45.2
//   batch 1 2.1 16 1.2 64 1 256 0.9          queries in a batch and what each of them adds, by a batch of 64
//   regression cpu and
//   base -3.25
//   weight postings 0.21                      inputs without a line have no weight
//   tree shortest 9.5 terms 1.6 = 0.1 -0.2 0 0.05
//
// A line each, words separated by spaces, the rest of a line after # is ignored. `regression PROCESSOR MODE` begins the
// part of a processor (cpu, gpu) and mode (and, or); all four must be there, once each. A tree compares up to four
// inputs with a number each; after = it has a value for every outcome: the value of index i belongs to the comparisons
// whose bit is set in i being "greater".
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "leaf/schedule/cost_model.h"

namespace frond::leaf::schedule {

inline constexpr std::size_t kMaxCostModelBytes = std::size_t{1} << 20;

// kInvalid: names the line and what is wrong there.
Result<CostModel> parse_cost_model(std::string_view text);
// The same from a file. kNotFound: it can't be read. Errors name the file.
Result<CostModel> read_cost_model(const std::filesystem::path& file);

// parse_cost_model() gives an equal model. `comment`: lines for the head of the file.
std::string cost_model_text(const CostModel& model, std::string_view comment = {});

}  // namespace frond::leaf::schedule
