#include "tools/papers/run_experiments.h"

#include <chrono>

#include "common/base/text.h"
#include "common/config/options.h"
#include "tools/bench/measure.h"
#include "tools/papers/experiment.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

Outcome outcome_of(const Experiment& experiment, Workbench& bench) {
  Outcome outcome{.experiment = &experiment, .exhibit = {}, .not_run = {}, .failed = {}, .seconds = 0};
  if (experiment.needs == Needs::kGpu && !bench.has_gpu()) {
    outcome.not_run = "it needs a GPU; " + bench.no_gpu();
    return outcome;
  }
  const auto begin = std::chrono::steady_clock::now();
  auto exhibit = experiment.run(bench);
  outcome.seconds = seconds_since(begin);
  if (exhibit)
    outcome.exhibit = *std::move(exhibit);
  else
    outcome.failed = exhibit.error().message();
  return outcome;
}

}  // namespace

Result<Run> run_experiments(const RunOptions& options) {
  const auto chosen = FROND_TRY(experiments_named(options.only));
  const auto bench = FROND_TRY(Workbench::create(options.sizes, options.threads, options.seed, options.indexing));
  const Platform here = Platform::here();
  Run run{.scale = std::string(options.sizes.name),
          .date = utc_text("%Y-%m-%d %H:%M UTC"),
          .program = "frond-papers " + std::string(config::version()),
          .processor = here.processor,
          .gpu = bench->gpu(),
          .no_gpu = bench->no_gpu(),
          .cores = here.cores,
          .memory = here.memory,
          .threads = bench->threads(),
          .rounds = options.sizes.rounds,
          .seed = options.seed,
          .outcomes = {}};
  for (const Experiment* experiment : chosen) {
    run.outcomes.push_back(outcome_of(*experiment, *bench));
    if (options.after_each) options.after_each(run.outcomes.back());
  }
  return run;
}

}  // namespace frond::tools::papers
