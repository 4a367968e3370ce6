#pragma once
// OR as Ding et al. 2009 evaluate it on a GPU, for comparison with the engine; no leaf uses it. Device memory holds a
// score for every document (8.3). The scores are cleared, then one list after the other is decoded and each posting's
// contribution added. A tournament (8.2) finds the k best: it takes the maxima of groups of 512 scores, then the maxima
// of groups of those, and so on. The largest is removed k times; each time the maxima above it are updated.
//
// Every posting is decoded and scored: there is no pruning. One query at a time, as in the paper. One thread.
#include <array>
#include <span>
#include <vector>

#include "common/device/runtime.h"
#include "common/topk/hit.h"
#include "leaf/gpu/block_entry.h"
#include "tools/papers/term_at_a_time/term_at_a_time_kernels.h"

namespace frond::tools::papers {

struct Term {
  leaf::gpu::DeviceList list;
  float weight = 0;
};

enum Step { kInitialization, kDecompression, kScoring, kTopK, kSteps };  // Ding et al. 2009, Table 3
struct Found {
  std::vector<topk::Hit> hits;  // best first; ordinals are docIDs
  std::array<float, kSteps> microseconds{};
};

class TermAtATime {
 public:
  static constexpr std::uint32_t kMaxK = 1000, kMaxTerms = 32;
  // `lengths`: of the partition's documents, by docID. `max_postings`: of the longest list that will be searched.
  // kDevice.
  static Result<TermAtATime> create(std::span<const std::uint32_t> lengths, std::uint32_t max_postings);

  // kInvalid: more than kMaxTerms terms, or k above kMaxK. kDevice.
  Result<Found> search(std::span<const Term> terms, scoring::LengthNorm norm, std::uint32_t k);

 private:
  struct Place {
    device::Stream stream;
    std::vector<device::Event> points;  // recorded at the begin and after each step
    device::Memory lengths, scores, maxima, docids, frequencies, best, tasks;
    device::Memory staged_best, staged_tasks;  // pinned
  };
  TermAtATime(Place place, std::uint32_t documents) : place_(std::move(place)), documents_(documents) {}
  Result<void> decode(const leaf::gpu::DeviceList& list);
  Tournament tournament() const;
  Result<void> mark(std::size_t point) { return place_.points[point].record(place_.stream.get()); }

  Place place_;
  std::uint32_t documents_;
};

}  // namespace frond::tools::papers
