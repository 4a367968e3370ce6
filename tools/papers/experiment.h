#pragma once
// A table or figure of a paper that frond-papers runs.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "tools/papers/exhibit.h"

namespace frond::tools::papers {

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

}  // namespace frond::tools::papers
