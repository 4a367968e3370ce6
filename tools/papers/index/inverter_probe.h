#pragma once
// Measures the inverters of a build from outside, for frond-papers.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "indexer/invert/inverter.h"

namespace frond::tools::papers {

// What one inverter did. Times are seconds; those of instants since the pipeline began.
struct InverterRecord {
  std::string name;         // the inverter's, at its last flush; a GPU's is "cpu" if it was lost
  double indexing = 0;      // in invert(): dictionary and postings, and runs that make room
  double indexing_cpu = 0;  // processor time of that
  double flushing = 0;      // in flush(): terms sorted, runs written; with a GPU also waiting for it
  double last_batch = 0;    // when the last batch came: the parsers were done
  double end = 0;           // when the last run was written
  struct Point {
    std::uint64_t documents;  // of the collection, up to here
    double indexing;          // so far
  };
  std::vector<Point> points;  // after each batch: 16 bytes a MB of input, or a few
  std::vector<std::filesystem::path> runs;
};

// Passes everything to `inverter` and notes times in `record`, which outlives the build.
std::unique_ptr<indexer::invert::Inverter> probed(std::unique_ptr<indexer::invert::Inverter> inverter,
                                                  InverterRecord& record, std::chrono::steady_clock::time_point begin);

// Takes tokens and forgets them: the parsers alone are measured. Gives no run.
std::unique_ptr<indexer::invert::Inverter> no_inverter();

}  // namespace frond::tools::papers
