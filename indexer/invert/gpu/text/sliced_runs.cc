#include "indexer/invert/gpu/text/sliced_runs.h"

#include <algorithm>
#include <optional>

#include "indexer/invert/gpu/text/parts.h"

namespace frond::indexer::invert::gpu {

SlicedRuns::SlicedRuns(const std::filesystem::path& folder, const std::string& label, std::uint32_t partitions,
                       std::size_t frame_bytes, DocumentNumber base, std::uint32_t threads)
    : base_(base) {
  const std::uint64_t fit = kRunBytes / PartitionRuns::bytes(partitions, frame_bytes);
  const auto some =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min<std::uint64_t>(threads, fit), 1, kMaxThreads));
  for (std::uint32_t i = 0; i < some; ++i)
    runs_.emplace_back(folder, label + "-" + std::to_string(i), partitions, frame_bytes);
  slices_.resize(some);
}

void SlicedRuns::Slice::clear() {
  text.clear();
  terms.clear();
  numbers.clear();
  frequencies.clear();
}

void SlicedRuns::add(std::string_view term, std::span<const std::uint32_t> numbers,
                     std::span<const Frequency> frequencies) {
  Slice& slice = slices_[slice_];
  if (!in_term_) slice.text.append(term);
  in_term_ = true;
  slice.numbers.insert(slice.numbers.end(), numbers.begin(), numbers.end());
  slice.frequencies.insert(slice.frequencies.end(), frequencies.begin(), frequencies.end());
}

Result<void> SlicedRuns::end_term() {
  Slice& slice = slices_[slice_];
  slice.terms.push_back({slice.text.size(), slice.numbers.size()});
  in_term_ = false;
  if (slice.numbers.size() < kSlicePostings) return {};
  if (++slice_ < slices_.size()) return {};
  return write_slices();
}

Result<void> SlicedRuns::finish(std::vector<runs::RunFile>& to) {
  FROND_TRY(write_slices());
  for (PartitionRuns& runs : runs_) FROND_TRY(runs.finish(to));
  return {};
}

Result<void> SlicedRuns::write_slices() {
  const auto count = static_cast<std::uint32_t>(slices_.size());
  std::vector<Result<void>> written(count);
  in_parts(count, count,
           [&](std::uint32_t part, std::size_t, std::size_t) { written[part] = write(slices_[part], runs_[part]); });
  for (Slice& slice : slices_) slice.clear();
  slice_ = 0;
  for (Result<void>& one : written) FROND_TRY(std::move(one));
  return {};
}

Result<void> SlicedRuns::write(const Slice& slice, PartitionRuns& runs) const {
  std::size_t text_begin = 0, at = 0;
  for (const Slice::Term& one : slice.terms) {
    const std::string_view term = std::string_view(slice.text).substr(text_begin, one.text_end - text_begin);
    text_begin = one.text_end;
    while (at < one.postings_end) {
      const std::uint32_t number = slice.numbers[at];
      Frequency frequency = 0;
      for (; at < one.postings_end && slice.numbers[at] == number; ++at) frequency += slice.frequencies[at];
      runs.add(term, base_ + number, frequency);
    }
    FROND_TRY(runs.end_term(term));
  }
  return {};
}

}  // namespace frond::indexer::invert::gpu
