#include "indexer/invert/gpu/text/run_on_device.h"

#include <bit>

#include "common/base/check.h"
#include "indexer/invert/gpu/text/device_parts.h"

namespace frond::indexer::invert::gpu {

Result<RunOnDevice> RunOnDevice::create() { return RunOnDevice(FROND_TRY(device::Event::create())); }

void RunOnDevice::use(const Parts& parts, const TextCapacity& capacity, const KernelPlace& place) {
  parts_ = parts;
  capacity_ = capacity;
  place_ = place;
}

Result<bool> RunOnDevice::has_room(std::uint32_t pairs) {
  const auto fit = [&](std::uint64_t more) {
    return postings_ + more <= capacity_.postings && segments_ + more <= capacity_.segments;
  };
  if (fit(std::uint64_t{pairs} + unsettled_pairs_)) return true;
  FROND_TRY(settle());
  return fit(pairs);
}

Result<void> RunOnDevice::append(const TextBatch& batch, std::uint32_t pairs, std::uint32_t terms, StepTimes& times) {
  FROND_TRY(settle());
  FROND_CHECK(std::uint64_t{postings_} + pairs <= capacity_.postings && terms <= capacity_.terms);
  if (pairs == 0) return {};
  const device::StreamHandle stream = place_.stream;
  FROND_TRY(times.begin(TextStep::kSort, stream));
  const TermPairs sorted =
      FROND_TRY(sort_pairs(parts_.pairs, parts_.other_pairs, pairs, std::bit_width(terms), place_));
  FROND_TRY(times.end(TextStep::kSort, stream));
  FROND_TRY(times.begin(TextStep::kPostings, stream));
  FROND_TRY(make_postings(batch, sorted, pairs, reinterpret_cast<std::uint64_t*>(batch.starts), batch.pair_counts,
                          parts_.store, postings_, segments_, place_));
  FROND_TRY(times.end(TextStep::kPostings, stream));
  FROND_TRY(device::copy_to_host(bytes_of(parts_.stored), bytes_of(batch.counts), sizeof(TextCounts), stream));
  unsettled_pairs_ = pairs;
  return added_.record(stream);
}

Result<void> RunOnDevice::settle() {
  if (unsettled_pairs_ == 0) return {};
  FROND_TRY(added_.wait());
  postings_ += parts_.stored->postings;
  segments_ += parts_.stored->segments;
  unsettled_pairs_ = 0;
  return {};
}

Result<std::vector<std::uint32_t>> RunOnDevice::totals(std::uint32_t terms, StagedCopies& stages) {
  FROND_TRY(settle());
  std::vector<std::uint32_t> all(terms);
  FROND_TRY(stages.download(bytes_of(all.data()), bytes_of(parts_.store.totals), all.size() * 4, place_.stream));
  return all;
}

Result<void> RunOnDevice::place_terms(std::span<const std::uint32_t> offsets, std::uint64_t postings,
                                      StagedCopies& stages) {
  FROND_TRY(settle());
  FROND_CHECK(postings == postings_ && offsets.size() <= capacity_.terms);
  return stages.upload(bytes_of(parts_.offsets), bytes_of(offsets.data()), offsets.size_bytes(), place_.stream);
}

Result<void> RunOnDevice::read(std::span<const std::uint32_t> order, std::span<const std::uint32_t> totals,
                               StagedCopies& stages, const VisitPostings& visit) {
  std::uint32_t placed = 0;
  std::vector<std::uint32_t> offsets(totals.size());
  for (const std::uint32_t term : order) offsets[term] = std::exchange(placed, placed + totals[term]);
  FROND_TRY(place_terms(offsets, placed, stages));
  // Postings are gathered where a batch's pairs would be.
  const PostingsToRead run{.store = parts_.store,
                           .postings = postings_,
                           .segments = segments_,
                           .offsets = parts_.offsets,
                           .numbers = parts_.pairs.terms,
                           .frequencies = parts_.other_pairs.terms,
                           .window = (capacity_.entries + std::uint32_t{2}) * 2};
  return read_postings(run, stages, place_, visit);
}

Result<void> RunOnDevice::clear() {
  FROND_TRY(settle());
  postings_ = segments_ = 0;
  return device::fill_with_zeros(bytes_of(parts_.store.totals), capacity_.terms * std::size_t{4}, place_.stream);
}

}  // namespace frond::indexer::invert::gpu
