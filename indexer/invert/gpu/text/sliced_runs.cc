#include "indexer/invert/gpu/text/sliced_runs.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/thread_name.h"
#include "indexer/invert/gpu/text/parts.h"

namespace frond::indexer::invert::gpu {

SlicedRuns::SlicedRuns(const std::filesystem::path& folder, const std::string& label, std::uint32_t partitions,
                       std::size_t frame_bytes, DocumentNumber base, std::uint32_t threads, const TermNumbers& names,
                       const TermOrder& order)
    : base_(base), names_(names), order_(order) {
  const std::uint64_t fit = kRunBytes / PartitionRuns::bytes(partitions, frame_bytes);
  const auto some =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min<std::uint64_t>(threads, fit), 1, kMaxThreads));
  for (std::uint32_t i = 0; i < some; ++i)
    runs_.emplace_back(folder, label + "-" + std::to_string(i), partitions, frame_bytes);
  for (auto& set : sets_) set.resize(some);
  begin_slice();
}

// Behind the slice before it.
void SlicedRuns::begin_slice() {
  Slice& slice = sets_[set_][slice_];
  slice.first = slice.end = next_;
  slice.postings = 0;
  for (; slice.end < order_.terms.size() && slice.postings < kSlicePostings; ++slice.end)
    slice.postings += order_.totals[order_.terms[slice.end]];
  next_ = slice.end;
  slice.numbers.clear();
  slice.frequencies.clear();
}

Result<void> SlicedRuns::add(std::span<const std::uint32_t> numbers, std::span<const Frequency> frequencies) {
  while (!numbers.empty()) {
    Slice& slice = sets_[set_][slice_];
    const std::size_t some = std::min(numbers.size(), slice.postings - slice.numbers.size());
    FROND_CHECK(some > 0);
    slice.numbers.insert(slice.numbers.end(), numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(some));
    slice.frequencies.insert(slice.frequencies.end(), frequencies.begin(),
                             frequencies.begin() + static_cast<std::ptrdiff_t>(some));
    numbers = numbers.subspan(some);
    frequencies = frequencies.subspan(some);
    if (slice.numbers.size() < slice.postings) continue;
    if (++slice_ == sets_[set_].size()) FROND_TRY(begin_writing());
    begin_slice();
  }
  return {};
}

Result<void> SlicedRuns::finish(std::vector<runs::RunFile>& to) {
  FROND_CHECK(sets_[set_][slice_].numbers.empty() && next_ == order_.terms.size());
  FROND_TRY(begin_writing());
  FROND_TRY(end_writing());
  for (PartitionRuns& runs : runs_) FROND_TRY(runs.finish(to));
  return {};
}

// Those before slice_, when those of the other set are written.
Result<void> SlicedRuns::begin_writing() {
  FROND_TRY(end_writing());
  const auto count = static_cast<std::uint32_t>(std::exchange(slice_, 0));
  if (count == 0) return {};
  writing_ = std::async(std::launch::async, [this, count, &slices = sets_[set_]]() -> Result<void> {
    name_this_thread("texts-0");
    std::vector<Result<void>> written(count);
    in_parts(count, count,
             [&](std::uint32_t part, std::size_t, std::size_t) { written[part] = write(slices[part], runs_[part]); });
    for (Result<void>& one : written) FROND_TRY(std::move(one));
    return {};
  });
  set_ = 1 - set_;
  return {};
}

Result<void> SlicedRuns::end_writing() { return writing_.valid() ? writing_.get() : Result<void>(); }

Result<void> SlicedRuns::write(const Slice& slice, PartitionRuns& runs) const {
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
