#include "indexer/invert/gpu/text/sliced_runs.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "common/base/check.h"
#include "common/base/thread_name.h"

namespace frond::indexer::invert::gpu {

SlicedRuns::SlicedRuns(const std::filesystem::path& folder, const std::string& label, std::uint32_t partitions,
                       std::size_t frame_bytes, DocumentNumber base, std::uint32_t threads, const TermNumbers& names,
                       const TermOrder& order)
    : base_(base),
      names_(names),
      order_(order),
      full_(2 * kMaxThreads),
      empty_(2 * kMaxThreads),
      filler_(order, kSlicePostings) {
  const std::uint64_t fit = kRunBytes / PartitionRuns::bytes(partitions, frame_bytes);
  const auto some =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min<std::uint64_t>(threads, fit), 1, kMaxThreads));
  for (std::uint32_t i = 0; i < some; ++i) {
    Writer& writer = *writers_.emplace_back(
        std::make_unique<Writer>(PartitionRuns(folder, label + "-" + std::to_string(i), partitions, frame_bytes)));
    for (int slices = 0; slices < 2; ++slices) (void)empty_.push(&slices_.emplace_back(), {});
    writer.thread = std::jthread([this, i, &writer] {
      name_this_thread(("texts-" + std::to_string(i)).c_str());
      run(writer);
    });
  }
  begin_slice();
}

SlicedRuns::~SlicedRuns() { full_.close(); }

// A writer's thread. After an error it takes what is full and drops it, so that nobody waits for it.
void SlicedRuns::run(Writer& writer) {
  while (const auto slice = full_.pop({})) {
    if (writer.written) {
      try {
        writer.written = write(**slice, writer.runs);
      } catch (const std::exception& thrown) {
        writer.written = Error(Code::kUnavailable, thrown.what());
      }
      if (!writer.written) failed_ = true;
    }
    (void)empty_.push(*slice, {});
  }
}

// Behind the slice before it; waits until a writer has written one.
void SlicedRuns::begin_slice() {
  slice_ = *empty_.pop({});
  filler_.begin(*slice_);
}

Result<void> SlicedRuns::add(std::span<const std::uint32_t> numbers, std::span<const Frequency> frequencies) {
  while (!numbers.empty()) {
    if (failed_) return end_writers();
    if (!filler_.fill(*slice_, numbers, frequencies)) continue;
    (void)full_.push(slice_, {});
    begin_slice();
  }
  return {};
}

Result<void> SlicedRuns::finish(std::vector<runs::RunFile>& to) {
  FROND_CHECK(failed_ || (slice_->numbers.empty() && filler_.at_end()));
  FROND_TRY(end_writers());
  for (const auto& writer : writers_) FROND_TRY(writer->runs.finish(to));
  return {};
}

// When all that is full is written.
Result<void> SlicedRuns::end_writers() {
  full_.close();
  for (const auto& writer : writers_)
    if (writer->thread.joinable()) writer->thread.join();
  for (const auto& writer : writers_)
    if (!writer->written) return writer->written.error();
  return {};
}

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
