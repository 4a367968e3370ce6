// Any bytes are a trace of queries or a clear refusal; a trace is simulated to its end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tools/bench/schedule/schedule_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond::tools::bench;
  const auto trace = parse_schedule_trace({reinterpret_cast<const char*>(data), size});
  if (!trace) {
    if (trace.error().message().empty()) std::abort();
    return 0;
  }
  if (!parse_schedule_trace(schedule_trace_text(*trace, "again"))) std::abort();
  const auto arrivals = poisson_arrivals(50, 1000, trace->queries.size(), size);
  SimulationOptions options{.launch_us = trace->launch_us, .scales = trace->scales};
  options.queues.streams = 2;
  const auto result = simulate(trace->queries, arrivals, options);
  if (result.answered + result.refused + result.dropped != arrivals.size()) std::abort();
  return 0;
}
