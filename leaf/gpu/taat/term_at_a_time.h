#pragma once
// OR as Ding et al. 2009 evaluate it on a GPU, for comparison with the engine; no leaf uses it. A score for every
// document in device memory (8.3): cleared, then one list after the other is decoded and each posting's contribution
// added; the k best come out of a tournament (8.2): maxima of groups of 512, maxima of groups of those, and so on, from
// which the largest is taken k times, each time with its branch brought up to date.
//
// Every posting is decoded and scored: there is no pruning. One query at a time, as in the paper. One thread.
#include <array>
#include <span>
#include <vector>

#include "common/device/runtime.h"
#include "common/topk/hit.h"
#include "leaf/gpu/block_entry.h"
#include "leaf/gpu/taat/kernels.h"

namespace frond::leaf::gpu::taat {

struct Term {
  DeviceList list;
  float weight = 0;
};

enum Step { kInitialization, kDecompression, kScoring, kTopK, kSteps };  // Ding et al. 2009, Table 3
struct Found {
  std::vector<topk::Hit> hits;  // best first; ordinals are docIDs
  std::array<float, kSteps> microseconds{};
};

class TermAtATime {
 public:
  static constexpr std::uint32_t kMostHits = 1000;
  // For lists of at most so many postings, in a partition whose documents' lengths these are. kDevice.
  static Result<TermAtATime> create(std::span<const std::uint32_t> lengths, std::uint32_t most_postings);

  // k at most kMostHits. kDevice.
  Result<Found> search(std::span<const Term> terms, scoring::LengthNorm norm, std::uint32_t k);

 private:
  struct Place {
    device::Stream stream;
    std::vector<device::Event> points;  // behind each kernel
    device::Memory lengths, scores, maxima, docids, frequencies, best, tasks;
    device::Memory staged_best, staged_tasks;  // pinned
  };
  TermAtATime(Place place, std::uint32_t documents) : place_(std::move(place)), documents_(documents) {}
  Result<void> decode(const DeviceList& list);
  Tournament tournament() const;
  Result<void> mark(std::size_t point) { return place_.points[point].record(place_.stream.get()); }

  Place place_;
  std::uint32_t documents_;
};

}  // namespace frond::leaf::gpu::taat
