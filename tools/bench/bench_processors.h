#pragma once
// The output of `frond bench query --processor`: lines as rows are measured, or JSON, with the figures of Ding et al.
// 2009 (Tables 2 and 3) beside ours.
#include "common/base/result.h"
#include "tools/bench/processor_rows.h"

namespace frond::tools::bench {

// Errors as measure_processors().
Result<void> bench_processors(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                              const ProcessorOptions& options, const Processors& processors, bool json);

}  // namespace frond::tools::bench
