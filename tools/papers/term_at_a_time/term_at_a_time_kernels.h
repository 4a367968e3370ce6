#pragma once
// The kernels of term_at_a_time.h, in the order in which they are launched. All pointers are device memory.
#include <cstdint>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/device/runtime.h"
#include "common/scoring/bm25.h"

namespace frond::tools::papers {

inline constexpr std::uint32_t kGroup = 512;  // size of a group: scores, or maxima of the level below

struct Scoring {
  const std::uint32_t* docids;  // of one list, decoded
  const std::uint32_t* frequencies;
  std::uint32_t count;
  const std::uint32_t* lengths;  // by docID
  float weight;
  scoring::LengthNorm norm;
};
// Adds each posting's contribution to its document's score. A list has a document once, so no two threads add to one
// score.
Result<void> add_scores(const Scoring& postings, scoring::Score* scores, device::StreamHandle stream);

// A key is a score and its document in one number: the better hit has the larger key, and 0 is no hit.
// The largest key of each group of scores.
Result<void> find_maxima(const scoring::Score* scores, std::uint32_t count, std::uint64_t* maxima,
                         device::StreamHandle stream);
// The largest key of each group of keys.
Result<void> find_maxima(const std::uint64_t* keys, std::uint32_t count, std::uint64_t* maxima,
                         device::StreamHandle stream);

inline constexpr std::uint32_t kMaxLevels = 3;
struct Tournament {
  scoring::Score* scores;
  std::uint32_t documents, levels;
  std::uint64_t* maxima[kMaxLevels];  // of the scores; of the level before; … the last level has at most kGroup
  std::uint32_t counts[kMaxLevels];
};
// Writes the largest k keys to `best`, best first, 0 behind the last. Clears the score of each and updates the maxima
// of the groups that it was in.
Result<void> extract(const Tournament& from, std::uint32_t k, std::uint64_t* best, device::StreamHandle stream);

}  // namespace frond::tools::papers
