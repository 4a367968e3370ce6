#pragma once
// Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): a document's score is the sum of 1 / (constant + rank)
// over the ranked lists that have it, ranks from 1. Pure functions.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace frond::broker::merge {

inline constexpr std::uint32_t kUsualRankConstant = 60, kMaxRankConstant = 1'000'000;

struct FusedDocument {
  std::string id;
  double score = 0;
  std::vector<std::uint32_t> ranks;  // in each list; 0: it is not there
};

// All documents of the lists, best first; of equal ones that comes first which is better in the first list that has one
// of them, and so on. A document that a list has twice counts by its better rank.
std::vector<FusedDocument> fuse_ranks(std::span<const std::vector<std::string>> lists, std::uint32_t constant);

}  // namespace frond::broker::merge
