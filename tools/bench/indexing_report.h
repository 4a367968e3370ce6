#pragma once
// Prints what `frond bench index` has measured: Wei and JaJa 2011, Figures 10 and 11 and Tables IV to VII.
#include <nlohmann/json_fwd.hpp>

#include "tools/bench/indexing_results.h"

namespace frond::tools::bench {

void print_indexing(const IndexingResults& results);
nlohmann::ordered_json indexing_as_json(const IndexingResults& results);

}  // namespace frond::tools::bench
