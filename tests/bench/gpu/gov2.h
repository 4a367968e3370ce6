#pragma once
// A generated collection of the size of TREC's .gov2, in memory: 25.2 million documents of about 900 tokens; lists
// whose lengths are log-uniform, with random docIDs and geometric frequencies; and queries of two to four terms
// with 3.7 million postings on average, like those of Ding et al. 2009, 8. The same for the same seed, whatever the
// number of threads.
#include <cstdint>
#include <span>
#include <vector>

#include "leaf/engine/plan.h"

namespace frond::bench {

struct Gov2Options {
  std::uint64_t seed = 1;
  std::uint32_t documents = 25'200'000;
  std::uint32_t lists = 600;
  std::uint32_t queries = 2000;
  unsigned threads = 16;
};

class Gov2 {
 public:
  explicit Gov2(const Gov2Options& options);
  std::vector<leaf::engine::Plan> plans(leaf::engine::Mode mode, std::uint32_t k) const;
  const std::vector<leaf::lists::ListLease>& lists() const { return lists_; }  // longest first
  std::span<const std::uint32_t> lengths() const { return lengths_; }
  std::uint32_t documents() const { return static_cast<std::uint32_t>(lengths_.size()); }

 private:
  leaf::engine::Plan plan(leaf::engine::Mode mode, std::uint32_t k, std::span<const std::uint32_t> lists) const;
  scoring::CollectionStatistics statistics_;
  std::vector<std::uint32_t> lengths_;
  std::vector<leaf::lists::ListLease> lists_;
  std::vector<std::vector<std::uint32_t>> queries_;  // distinct lists
};

}  // namespace frond::bench
