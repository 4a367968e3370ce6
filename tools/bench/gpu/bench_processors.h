#pragma once
// The output of `frond bench query --processor`: lines as rows are measured, or JSON.
#include "common/base/result.h"
#include "tools/bench/gpu/processor_rows.h"

namespace frond::tools::bench {

// Errors as measure_processors().
Result<void> bench_processors(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                              const ProcessorOptions& options, const Processors& processors, bool json);

}  // namespace frond::tools::bench
