#include "indexer/runs/run_merger.h"

#include <algorithm>
#include <limits>
#include <system_error>

#include "common/base/check.h"
#include "indexer/runs/run_format.h"

namespace frond::indexer::runs {

Result<RunMerger> RunMerger::open(std::span<const std::filesystem::path> runs, std::uint32_t partition) {
  FROND_CHECK(runs.size() <= kMaxFanIn);
  RunMerger merger;
  merger.readers_.reserve(runs.size());
  for (const auto& run : runs) merger.readers_.push_back(FROND_TRY(RunReader::open(run, partition)));
  for (std::size_t i = 0; i < runs.size(); ++i) FROND_TRY(merger.advance(i));
  return merger;
}

Result<void> RunMerger::advance(std::size_t run) {
  if (!FROND_TRY(readers_[run].next())) return {};
  heap_.push_back(run);
  std::push_heap(heap_.begin(), heap_.end(), [this](std::size_t a, std::size_t b) { return later(a, b); });
  return {};
}

Result<bool> RunMerger::next_term() {
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  while (FROND_TRY(read(docids, frequencies, 1))) {
    docids.clear();
    frequencies.clear();
  }
  if (heap_.empty()) return false;
  term_ = readers_[heap_.front()].term();
  return true;
}

Result<bool> RunMerger::read(std::vector<DocId>& docids, std::vector<Frequency>& frequencies, std::size_t wanted) {
  const std::size_t before = docids.size();
  while (docids.size() < wanted && !heap_.empty() && readers_[heap_.front()].term() == term_) {
    std::pop_heap(heap_.begin(), heap_.end(), [this](std::size_t a, std::size_t b) { return later(a, b); });
    const std::size_t run = heap_.back();
    heap_.pop_back();
    FROND_TRY(take_record(run, docids, frequencies));
    FROND_TRY(advance(run));
  }
  const bool more = !heap_.empty() && readers_[heap_.front()].term() == term_;
  if (held_ && !more) {
    docids.push_back(held_->docid);
    frequencies.push_back(held_->frequency);
    held_.reset();
  }
  return docids.size() > before;
}

// Appends the held posting and all of the record's except the last, which is held from then on.
Result<void> RunMerger::take_record(std::size_t run, std::vector<DocId>& docids, std::vector<Frequency>& frequencies) {
  const RunReader& reader = readers_[run];
  std::span<const DocId> new_docids = reader.docids();
  std::span<const Frequency> new_frequencies = reader.frequencies();
  Frequency first = new_frequencies.front();
  if (held_) {
    const bool same = new_docids.front() == held_->docid && run != held_->run;
    if (new_docids.front() <= held_->docid && !same) return reader.corrupt("docIDs do not ascend from run to run");
    if (same) {
      if (first > std::numeric_limits<Frequency>::max() - held_->frequency)
        return reader.corrupt("the frequencies of a document's parts are impossible");
      first += held_->frequency;
    } else {
      docids.push_back(held_->docid);
      frequencies.push_back(held_->frequency);
    }
  }
  const std::size_t last = new_docids.size() - 1;
  docids.insert(docids.end(), new_docids.begin(), new_docids.end() - 1);
  frequencies.insert(frequencies.end(), new_frequencies.begin(), new_frequencies.end() - 1);
  if (last > 0) frequencies[frequencies.size() - last] = first;
  held_ = Held{new_docids[last], last > 0 ? new_frequencies[last] : first, run};
  return {};
}

namespace {

Result<std::filesystem::path> merge_into(std::span<const std::filesystem::path> runs, std::uint32_t partition,
                                         const std::filesystem::path& to) {
  RunMerger merger = FROND_TRY(RunMerger::open(runs, partition));
  RunWriter writer = FROND_TRY(RunWriter::create(to, partition));
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  while (FROND_TRY(merger.next_term())) {
    while (FROND_TRY(merger.read(docids, frequencies, kFramePayloadBytes))) {
      FROND_TRY(writer.add(merger.term(), docids, frequencies));
      docids.clear();
      frequencies.clear();
    }
  }
  return FROND_TRY(writer.finish()).path;
}

}  // namespace

Result<std::vector<std::filesystem::path>> reduce_runs(std::span<const std::filesystem::path> runs,
                                                       std::uint32_t partition, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> reduced(runs.begin(), runs.end());
  std::size_t made = 0;
  while (reduced.size() > kMaxFanIn) {
    std::vector<std::filesystem::path> larger;
    for (std::size_t at = 0; at < reduced.size(); at += kMaxFanIn) {
      const auto group =
          std::span<const std::filesystem::path>(reduced).subspan(at, std::min(kMaxFanIn, reduced.size() - at));
      if (group.size() == 1) {
        larger.push_back(group[0]);
        continue;
      }
      const auto to = folder / ("merged-p" + std::to_string(partition) + "-" + std::to_string(made++) + ".run");
      larger.push_back(FROND_TRY(merge_into(group, partition, to)));
      remove_merged(group, runs);
    }
    reduced = std::move(larger);
  }
  return reduced;
}

void remove_merged(std::span<const std::filesystem::path> reduced, std::span<const std::filesystem::path> runs) {
  std::error_code ignored;  // the folder goes as a whole anyway
  for (const auto& run : reduced)
    if (std::find(runs.begin(), runs.end(), run) == runs.end()) std::filesystem::remove(run, ignored);
}

}  // namespace frond::indexer::runs
