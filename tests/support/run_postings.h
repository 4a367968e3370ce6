#pragma once
// The postings that run files hold, as a map.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "indexer/runs/run_merger.h"

namespace frond::support {

using RunPostings = std::map<std::string, std::map<DocId, Frequency>>;  // by term, of one partition

inline RunPostings read_run_postings(const std::vector<std::filesystem::path>& runs, std::uint32_t partition) {
  RunPostings postings;
  auto merger = indexer::runs::RunMerger::open(runs, partition);
  EXPECT_TRUE(merger) << merger.error().message();
  while (merger->next_term() == true) {
    std::vector<DocId> docids;
    std::vector<Frequency> frequencies;
    while (merger->read(docids, frequencies, docids.size() + 1) == true) {
    }
    for (std::size_t i = 0; i < docids.size(); ++i) postings[std::string(merger->term())][docids[i]] = frequencies[i];
  }
  return postings;
}

}  // namespace frond::support
