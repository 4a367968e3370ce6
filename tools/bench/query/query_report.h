#pragma once
// The output of `frond bench query` for the CPU's algorithms.
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "tools/bench/query/query_timing.h"

namespace frond::tools::bench {

void print_query_header();
void print_query_timing(std::string_view algorithm, std::string_view mode, std::uint32_t k, std::uint32_t threads,
                        const QueryTiming& timing);
nlohmann::ordered_json query_timing_as_json(std::string_view algorithm, std::string_view mode, std::uint32_t k,
                                            const QueryTiming& timing);

}  // namespace frond::tools::bench
