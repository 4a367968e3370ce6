#pragma once
// The kernels of term_at_a_time.h, in the order in which they are put into a stream. Pointers are the device's.
#include <cstdint>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/device/runtime.h"
#include "common/scoring/bm25.h"

namespace frond::leaf::gpu::taat {

inline constexpr std::uint32_t kGroup = 512;  // of scores or maxima, that one maximum stands for

struct Scoring {
  const std::uint32_t* docids;  // of one list, decoded
  const std::uint32_t* frequencies;
  std::uint32_t count;
  const std::uint32_t* lengths;  // by docID
  float weight;
  scoring::LengthNorm norm;
};
// Adds each posting's contribution to its document's score. Lists one after the other: no two threads share a document.
Result<void> add_scores(const Scoring& postings, scoring::Score* scores, device::StreamHandle stream);

// A score and its document as one number: the better hit is the larger key; 0 is none.
// Of each group of scores, the largest key.
Result<void> find_maxima(const scoring::Score* scores, std::uint32_t count, std::uint64_t* maxima,
                         device::StreamHandle stream);
// Of each group of keys.
Result<void> find_maxima(const std::uint64_t* keys, std::uint32_t count, std::uint64_t* maxima,
                         device::StreamHandle stream);

inline constexpr std::uint32_t kMostLevels = 3;
struct Tournament {
  scoring::Score* scores;
  std::uint32_t documents, levels;
  std::uint64_t* maxima[kMostLevels];  // of the scores; of the level before; … the last has at most kGroup
  std::uint32_t counts[kMostLevels];
};
// The largest k keys, best first, 0 behind the last. Takes each of them out of the scores, and brings the maxima of the
// groups it was in up to date.
Result<void> extract(const Tournament& from, std::uint32_t k, std::uint64_t* best, device::StreamHandle stream);

}  // namespace frond::leaf::gpu::taat
