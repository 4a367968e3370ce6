#include "indexer/invert/gpu/text/run_slices.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace frond::indexer::invert::gpu {

void SliceFiller::begin_slice() {
  slice_.first = slice_.end;
  for (; slice_.end < order_.terms.size() && expected_ < most_; ++slice_.end)
    expected_ += order_.totals[order_.terms[slice_.end]];
  FROND_CHECK(expected_ > 0);
  slice_.numbers.reserve(expected_);
  slice_.frequencies.reserve(expected_);
}

Result<void> SliceFiller::add(std::span<const std::uint32_t> numbers, std::span<const Frequency> frequencies) {
  while (!numbers.empty()) {
    if (expected_ == 0) begin_slice();
    const std::size_t some = std::min(numbers.size(), expected_ - slice_.numbers.size());
    const auto end = static_cast<std::ptrdiff_t>(some);
    slice_.numbers.insert(slice_.numbers.end(), numbers.begin(), numbers.begin() + end);
    slice_.frequencies.insert(slice_.frequencies.end(), frequencies.begin(), frequencies.begin() + end);
    numbers = numbers.subspan(some);
    frequencies = frequencies.subspan(some);
    if (slice_.numbers.size() < expected_) continue;
    expected_ = 0;
    const std::size_t behind = slice_.end;
    FROND_TRY(take_(std::exchange(slice_, {.first = behind, .end = behind})));
  }
  return {};
}

// How many threads write: as many as have room for their runs.
std::uint32_t RunSlices::writers(std::uint32_t threads, std::uint32_t partitions, std::size_t frame_bytes) {
  const std::uint64_t fit = kRunBytes / PartitionRuns::bytes(partitions, frame_bytes);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min<std::uint64_t>(threads, fit), 1, kMaxThreads));
}

RunSlices::RunSlices(const std::filesystem::path& folder, const std::string& label, std::uint32_t partitions,
                     std::size_t frame_bytes, DocumentNumber base, std::uint32_t threads, const TermNumbers& names,
                     const TermOrder& order)
    : base_(base), names_(names), order_(order), slices_(writers(threads, partitions, frame_bytes)) {
  const std::uint32_t some = writers(threads, partitions, frame_bytes);
  for (std::uint32_t i = 0; i < some; ++i)
    runs_.emplace_back(folder, label + "-" + std::to_string(i), partitions, frame_bytes);
  for (std::uint32_t i = 0; i < some; ++i)
    threads_.begin("texts-" + std::to_string(i), [this, i] { return run(runs_[i]); });
}

Result<void> RunSlices::run(PartitionRuns& runs) {
  while (const auto slice = slices_.pop(error_.token())) FROND_TRY(write(*slice, runs));
  return {};
}

Result<void> RunSlices::finish(std::vector<runs::RunFile>& to) {
  slices_.close();
  threads_.join();
  FROND_TRY(error_.result());
  for (PartitionRuns& runs : runs_) FROND_TRY(runs.finish(to));
  return {};
}

Result<void> RunSlices::write(const runs::PostingSlice& slice, PartitionRuns& runs) const {
  constexpr std::size_t kAhead = 8;  // terms whose bytes are fetched before they are read
  std::size_t at = 0;
  for (std::size_t i = slice.first; i < slice.end; ++i) {
    if (i + kAhead < slice.end) names_.fetch(order_.terms[i + kAhead]);
    const std::string_view term = names_.term(order_.terms[i]);
    const std::size_t end = at + order_.totals[order_.terms[i]];
    while (at < end) {
      const std::uint32_t number = slice.numbers[at];
      Frequency frequency = 0;
      for (; at < end && slice.numbers[at] == number; ++at) frequency += slice.frequencies[at];
      runs.add(term, base_ + number, frequency);
    }
    FROND_TRY(runs.end_term(term));
  }
  return {};
}

}  // namespace frond::indexer::invert::gpu
