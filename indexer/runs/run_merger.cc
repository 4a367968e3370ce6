#include "indexer/runs/run_merger.h"

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include "common/base/check.h"
#include "indexer/runs/run_file.h"

namespace frond::indexer::runs {

Result<RunCursor> RunCursor::open(const std::filesystem::path& path, std::uint32_t partition, TaskPool* ahead) {
  RunCursor cursor(path);
  cursor.reader_ = std::make_unique<RunReader>(FROND_TRY(RunReader::open(path, partition)));
  if (ahead != nullptr) {
    cursor.ahead_ = std::make_unique<OrderedTasks<Batch>>(*ahead, 1);
    cursor.begin_batch();
  }
  return cursor;
}

Result<bool> RunCursor::next_of_reader() {
  if (!FROND_TRY(reader_->next())) return false;
  term_ = reader_->term();
  docids_ = reader_->docids();
  frequencies_ = reader_->frequencies();
  return true;
}

Result<bool> RunCursor::next_of_batch() {
  while (at_ == batch_.records.size()) {
    if (batch_.error) return *batch_.error;
    if (batch_.last) return false;
    batch_ = FROND_TRY(ahead_->take());
    at_ = 0;
    if (!batch_.last && !batch_.error) begin_batch();
  }
  const Batch::Record begin = at_ == 0 ? Batch::Record{0, 0} : batch_.records[at_ - 1];
  const Batch::Record end = batch_.records[at_++];
  term_ = std::string_view(batch_.terms).substr(begin.term_end, end.term_end - begin.term_end);
  const std::size_t count = end.posting_end - begin.posting_end;
  docids_ = std::span(batch_.docids).subspan(begin.posting_end, count);
  frequencies_ = std::span(batch_.frequencies).subspan(begin.posting_end, count);
  return true;
}

void RunCursor::begin_batch() {
  ahead_->begin(1, [reader = reader_.get()](std::size_t) -> Result<Batch> { return read_batch(*reader); });
}

RunCursor::Batch RunCursor::read_batch(RunReader& reader) {
  Batch batch;
  batch.docids.reserve(kBatchPostings);
  batch.frequencies.reserve(kBatchPostings);
  while (batch.docids.size() < kBatchPostings && batch.records.size() < kBatchRecords &&
         batch.terms.size() < kBatchTermBytes) {
    auto more = reader.next();
    if (!more) batch.error = std::move(more).error();
    batch.last = more.has_value() && !*more;
    if (batch.error || batch.last) break;
    batch.terms.append(reader.term());
    batch.docids.insert(batch.docids.end(), reader.docids().begin(), reader.docids().end());
    batch.frequencies.insert(batch.frequencies.end(), reader.frequencies().begin(), reader.frequencies().end());
    batch.records.push_back(
        {static_cast<std::uint32_t>(batch.terms.size()), static_cast<std::uint32_t>(batch.docids.size())});
  }
  return batch;
}

RunMerger::TermKey RunMerger::key_of(std::string_view term) {
  TermKey key{0, term.size()};
  for (std::size_t i = 0; i < sizeof key.head; ++i)
    key.head = key.head << 8 | (i < term.size() ? static_cast<std::uint8_t>(term[i]) : 0u);
  return key;
}

// By term, then by place.
bool RunMerger::comes_first(std::uint32_t a, std::uint32_t b) const {
  const TermKey &x = keys_[a], &y = keys_[b];
  if (x.head != y.head) return x.head < y.head;
  if (ended_[a] || ended_[b]) return ended_[a] == ended_[b] ? a < b : !ended_[a];
  if (x.size > sizeof x.head || y.size > sizeof y.head) {
    const int order = readers_[a].term().compare(readers_[b].term());
    return order != 0 ? order < 0 : a < b;
  }
  return x.size != y.size ? x.size < y.size : a < b;
}

// Whether the term at hand has more records.
bool RunMerger::goes_on() const {
  if (at_end()) return false;
  const TermKey& key = keys_[first()];
  if (key.head != key_.head || key.size != key_.size) return false;
  return key.size <= sizeof key.head || readers_[first()].term() == term_;
}

Result<RunMerger> RunMerger::open(std::span<const std::filesystem::path> runs, std::uint32_t partition,
                                  TaskPool* ahead) {
  FROND_CHECK(runs.size() <= kMaxFanIn);
  RunMerger merger;
  merger.readers_.reserve(runs.size());
  for (const auto& run : runs) merger.readers_.push_back(FROND_TRY(RunCursor::open(run, partition, ahead)));
  merger.keys_.resize(runs.size());
  merger.ended_.resize(runs.size());
  for (std::uint32_t i = 0; i < runs.size(); ++i) FROND_TRY(merger.advance(i));
  merger.play();
  return merger;
}

Result<void> RunMerger::advance(std::uint32_t run) {
  ended_[run] = !FROND_TRY(readers_[run].next());
  keys_[run] = ended_[run] ? TermKey{~std::uint64_t{0}, 0} : key_of(readers_[run].term());
  return {};
}

// All comparisons, from the leaves up: the leaf of run i is node i + n.
void RunMerger::play() {
  const auto n = static_cast<std::uint32_t>(readers_.size());
  tree_.assign(n, 0);
  if (n == 0) return;
  std::vector<std::uint32_t> winners(2 * std::size_t{n});
  for (std::uint32_t i = 0; i < n; ++i) winners[n + i] = i;
  for (std::uint32_t node = n - 1; node > 0; --node) {
    const std::uint32_t a = winners[2 * node], b = winners[2 * node + 1];
    const bool a_wins = comes_first(a, b);
    winners[node] = a_wins ? a : b;
    tree_[node] = a_wins ? b : a;
  }
  tree_[0] = winners[1];
}

// Those on the way up from the run that was first, which has another record now.
void RunMerger::play_again() {
  std::uint32_t winner = first();
  for (std::size_t node = (winner + tree_.size()) / 2; node > 0; node /= 2)
    if (comes_first(tree_[node], winner)) std::swap(tree_[node], winner);
  tree_[0] = winner;
}

Result<bool> RunMerger::next_term() {
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  while (FROND_TRY(read(docids, frequencies, 1))) {
    docids.clear();
    frequencies.clear();
  }
  if (at_end()) return false;
  term_ = readers_[first()].term();
  key_ = keys_[first()];
  return true;
}

Result<bool> RunMerger::read(std::vector<DocId>& docids, std::vector<Frequency>& frequencies, std::size_t wanted) {
  const std::size_t before = docids.size();
  bool more = goes_on();
  for (; more && docids.size() < wanted; more = goes_on()) {
    FROND_TRY(take_record(first(), docids, frequencies));
    FROND_TRY(advance(first()));
    play_again();
  }
  if (pending_ && !more) {
    docids.push_back(pending_->docid);
    frequencies.push_back(pending_->frequency);
    pending_.reset();
  }
  return docids.size() > before;
}

// Appends the pending posting and all of the record's except the last, which is pending from then on.
Result<void> RunMerger::take_record(std::uint32_t run, std::vector<DocId>& docids,
                                    std::vector<Frequency>& frequencies) {
  const RunCursor& reader = readers_[run];
  std::span<const DocId> new_docids = reader.docids();
  std::span<const Frequency> new_frequencies = reader.frequencies();
  Frequency first = new_frequencies.front();
  if (pending_) {
    const bool same = new_docids.front() == pending_->docid && run != pending_->run;
    if (new_docids.front() <= pending_->docid && !same) return reader.corrupt("docIDs do not ascend from run to run");
    if (same) {
      if (first > std::numeric_limits<Frequency>::max() - pending_->frequency)
        return reader.corrupt("the frequencies of a document's parts are impossible");
      first += pending_->frequency;
    } else {
      docids.push_back(pending_->docid);
      frequencies.push_back(pending_->frequency);
    }
  }
  const std::size_t last = new_docids.size() - 1;
  docids.insert(docids.end(), new_docids.begin(), new_docids.end() - 1);
  frequencies.insert(frequencies.end(), new_frequencies.begin(), new_frequencies.end() - 1);
  if (last > 0) frequencies[frequencies.size() - last] = first;
  pending_ = Pending{new_docids[last], last > 0 ? new_frequencies[last] : first, run};
  return {};
}

namespace {

// Writes all that a merger has as a run.
Result<RunFile> write_run(RunMerger& from, const std::filesystem::path& to, std::uint32_t partition) {
  RunWriter writer = FROND_TRY(RunWriter::create(to, partition));
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  while (FROND_TRY(from.next_term())) {
    while (FROND_TRY(from.read(docids, frequencies, kFramePayloadBytes))) {
      FROND_TRY(writer.add(from.term(), docids, frequencies));
      docids.clear();
      frequencies.clear();
    }
  }
  return writer.finish();
}

// Where the `count` neighbouring runs begin that have the fewest bytes together.
std::size_t smallest_neighbours(std::span<const std::filesystem::path> runs, std::size_t count) {
  std::vector<std::uint64_t> sums = {0};
  for (const auto& run : runs) {
    std::error_code failed;  // who reads the run finds out what is wrong
    const auto bytes = std::filesystem::file_size(run, failed);
    sums.push_back(sums.back() + (failed ? 0 : bytes));
  }
  std::size_t best = 0;
  for (std::size_t first = 1; first + count <= runs.size(); ++first)
    if (sums[first + count] - sums[first] < sums[best + count] - sums[best]) best = first;
  return best;
}

}  // namespace

Result<std::vector<std::filesystem::path>> reduce_runs(std::span<const std::filesystem::path> runs,
                                                       std::uint32_t partition, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> reduced(runs.begin(), runs.end());
  for (std::size_t made = 0; reduced.size() > kMaxFanIn; ++made) {
    // What is merged here is merged once more, so it is as little as is enough.
    const std::size_t count = std::min(kMaxFanIn, reduced.size() - kMaxFanIn + 1);
    const std::size_t first = smallest_neighbours(reduced, count);
    const auto group = std::span(std::as_const(reduced)).subspan(first, count);
    const auto to = folder / ("merged-p" + std::to_string(partition) + "-" + std::to_string(made) + ".run");
    RunMerger merger = FROND_TRY(RunMerger::open(group, partition));
    auto larger = FROND_TRY(write_run(merger, to, partition)).path;
    remove_merged(group, runs);
    reduced[first] = std::move(larger);
    const auto rest = reduced.begin() + static_cast<std::ptrdiff_t>(first + 1);
    reduced.erase(rest, rest + static_cast<std::ptrdiff_t>(count - 1));
  }
  return reduced;
}

void remove_merged(std::span<const std::filesystem::path> reduced, std::span<const std::filesystem::path> runs) {
  std::error_code ignored;  // the folder goes as a whole anyway
  for (const auto& run : reduced)
    if (std::find(runs.begin(), runs.end(), run) == runs.end()) std::filesystem::remove(run, ignored);
}

}  // namespace frond::indexer::runs
