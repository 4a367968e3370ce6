#pragma once
// Figure 7 of Ding et al. 2009 with a leaf's own scheduler: queries arrive as a Poisson process, and a QueryScheduler
// (leaf/schedule/query_scheduler.h) runs them with real engines, on the workers of a pool and in batches on the GPU.
#include <span>

#include "common/base/result.h"
#include "leaf/schedule/cost_model.h"
#include "tools/bench/schedule/cost_measurement.h"
#include "tools/bench/schedule/schedule_simulation.h"

namespace frond::tools::bench {

struct LiveProcessors {
  leaf::engine::QueryEngine* cpu = nullptr;  // not null
  leaf::engine::QueryEngine* gpu = nullptr;  // null: there is none, and options.queues.streams is 0
};

// Answers each arrival's query. Blocks for as long as the arrivals last. `options`: configuration, deadline and queues
// are used; the pool has as many threads as the CPU workers, and at least one. Of the result, `ends` and `end_us` are
// left empty. Errors: those of the engines.
Result<SimulationResult> run_live(std::span<const CostedQuery> queries, std::span<const Arrival> arrivals,
                                  const SimulationOptions& options, const LiveProcessors& processors,
                                  const leaf::schedule::CostModel& model);

}  // namespace frond::tools::bench
