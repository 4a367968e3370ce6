#pragma once
// Times an engine on one query after another, one thread, lists in memory.
#include <string_view>
#include <vector>

#include "leaf/engine/query_engine.h"
#include "tests/support/collections/indexed_collection.h"

namespace frond::bench {

struct Timing {
  double mean_us = 0, p50_us = 0, p99_us = 0;
  double postings = 0;         // decoded, mean a query
  std::uint64_t checksum = 0;  // of all hits: equal answers, equal checksums
};

// The best of `rounds` for each query, then mean and percentiles over queries. Aborts where a search fails.
Timing measure(leaf::engine::QueryEngine& engine, const support::IndexedCollection& index,
               const std::vector<std::vector<support::TermNumber>>& queries, leaf::engine::Mode mode, std::uint32_t k,
               int rounds);

// A line of a table. Its first call's caller prints print_header() before.
void print_header();
void print_row(std::string_view engine, leaf::engine::Mode mode, std::uint32_t k, const Timing& timing);

}  // namespace frond::bench
