#pragma once
// Figure 7 of Ding et al. 2009 with real engines and threads: queries arrive as a Poisson process and are answered by
// workers of the CPU and threads that hand batches to the GPU, both scheduled by the leaf's queues
// (leaf/schedule/query_queues.h), with costs as the leaf's predictor has them.
#include <span>

#include "common/base/result.h"
#include "leaf/schedule/cost_predictor.h"
#include "tools/bench/cost_measurement.h"
#include "tools/bench/schedule_simulation.h"

namespace frond::tools::bench {

struct LiveProcessors {
  leaf::engine::QueryEngine* cpu = nullptr;  // not null
  leaf::engine::QueryEngine* gpu = nullptr;  // null: there is none, and options.queues.streams is 0
};

// Answers each arrival's query. Blocks for as long as the arrivals last. `options`: configuration, queues and deadline
// are used. Of the result, `ends` is left empty. `predictor` learns from what is observed. Errors: those of the
// engines.
Result<SimulationResult> run_live(std::span<const CostedQuery> queries, std::span<const Arrival> arrivals,
                                  const SimulationOptions& options, const LiveProcessors& processors,
                                  leaf::schedule::CostPredictor& predictor);

}  // namespace frond::tools::bench
