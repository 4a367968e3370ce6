#include "common/partition/merge_of_term_files.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/thread_name.h"
#include "common/partition/format.h"
#include "common/partition/term_files.h"

namespace frond::partition {
namespace {

using FilesCursors = std::vector<std::unique_ptr<TermFilesCursor>>;

constexpr std::size_t kChunkTerms = 2048;
constexpr std::uint64_t kMaxCursorBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMaxChunks = 64;

// Merged terms, one behind the other.
struct Chunk {
  struct Term {
    std::size_t end;  // in `text`
    TermStatistics statistics;
  };
  std::string text;
  std::vector<Term> terms;
};

// The chunks of ranges, which threads give in any order and one thread takes in the order of ranges. Holds at most
// kMaxChunks; the range that is taken from always has room for one, so no thread waits for ever.
class OrderedChunks {
 public:
  explicit OrderedChunks(std::size_t ranges) : ranges_(ranges) {}

  // Waits for room. False: it is closed.
  bool give(std::size_t range, Chunk chunk) {
    MutexLock lock(mutex_);
    changed_.wait(lock.mutex(), [&]() FROND_REQUIRES(mutex_) {
      return closed_ || held_ < kMaxChunks || (range == current_ && ranges_[range].chunks.empty());
    });
    if (closed_) return false;
    ranges_[range].chunks.push_back(std::move(chunk));
    ++held_;
    changed_.notify_all();
    return true;
  }
  void end(std::size_t range) {
    const MutexLock lock(mutex_);
    ranges_[range].ended = true;
    changed_.notify_all();
  }
  // Nobody waits any more. An error is what take() gives.
  void close(std::optional<Error> error) {
    const MutexLock lock(mutex_);
    closed_ = true;
    if (error && !error_) error_ = std::move(error);
    changed_.notify_all();
  }
  // The next chunk of all; none: all were taken.
  Result<std::optional<Chunk>> take() {
    MutexLock lock(mutex_);
    for (; current_ < ranges_.size(); ++current_, changed_.notify_all()) {
      Range& range = ranges_[current_];
      changed_.wait(lock.mutex(),
                    [&]() FROND_REQUIRES(mutex_) { return closed_ || !range.chunks.empty() || range.ended; });
      if (closed_) return error_ ? *error_ : Error(Code::kUnavailable, "terms: stopped");
      if (range.chunks.empty()) continue;
      std::optional<Chunk> chunk(std::move(range.chunks.front()));
      range.chunks.pop_front();
      --held_;
      changed_.notify_all();
      return chunk;
    }
    return std::optional<Chunk>();
  }

 private:
  struct Range {
    std::deque<Chunk> chunks;
    bool ended = false;
  };
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Range> ranges_ FROND_GUARDED_BY(mutex_);
  std::size_t current_ FROND_GUARDED_BY(mutex_) = 0, held_ FROND_GUARDED_BY(mutex_) = 0;
  bool closed_ FROND_GUARDED_BY(mutex_) = false;
  std::optional<Error> error_ FROND_GUARDED_BY(mutex_);
};

std::uint64_t bytes_of_terms(const FilesOfPartition& partition) {
  std::uint64_t bytes = 0;
  for (const PartitionFile& file : partition.files)
    if (file.name.starts_with(std::string(name_of(Family::kTerms)) + "-")) bytes += file.bytes;
  return bytes;
}

FilesCursors cursors_of(std::span<const FilesOfPartition> partitions) {
  FilesCursors cursors;
  for (const FilesOfPartition& one : partitions) cursors.push_back(terms_of_files(one.folder, one.files));
  return cursors;
}

// The least string that is greater than all strings with the first two bytes of `term`; none: there is no greater one.
std::optional<std::string> behind_prefix(std::string_view term) {
  if (term.size() < 2) return std::string(term) + '\0';
  std::string next(term.substr(0, 2));
  while (!next.empty() && static_cast<unsigned char>(next.back()) == 0xff) next.pop_back();
  if (next.empty()) return std::nullopt;
  ++next.back();
  return next;
}

// Where ranges begin, the first at "": by the first two bytes of the terms of one partition, so most ranges are small
// and none has to be balanced with others.
Result<std::vector<std::string>> begins_of_ranges(const FilesOfPartition& largest) {
  std::vector<std::string> begins{""};
  const auto cursor = terms_of_files(largest.folder, largest.files);
  for (std::optional<std::string> from(""); from; from = behind_prefix(cursor->term())) {
    FROND_TRY(cursor->seek(*from));
    if (*from > begins.back()) begins.push_back(*from);
    if (!FROND_TRY(cursor->next())) break;
  }
  return begins;
}

// Those terms of a cursor that are less than `end`.
class BoundedCursor final : public TermCursor {
 public:
  BoundedCursor(TermFilesCursor& cursor, const std::string* end) : cursor_(cursor), end_(end) {}
  Result<bool> next() override {
    if (!FROND_TRY(cursor_.next())) return false;
    return end_ == nullptr || cursor_.term() < *end_;
  }
  std::string_view term() const override { return cursor_.term(); }
  const TermStatistics& statistics() const override { return cursor_.statistics(); }

 private:
  TermFilesCursor& cursor_;
  const std::string* end_;  // null: no bound
};

Result<void> merge_range(const FilesCursors& cursors, const std::vector<std::string>& begins, std::size_t range,
                         OrderedChunks& to) {
  TermCursors bounded;
  for (const auto& cursor : cursors) {
    FROND_TRY(cursor->seek(begins[range]));
    bounded.push_back(
        std::make_unique<BoundedCursor>(*cursor, range + 1 < begins.size() ? &begins[range + 1] : nullptr));
  }
  const Error closed(Code::kUnavailable, "terms: stopped");
  Chunk chunk;
  FROND_TRY(merge_terms(bounded, [&](std::string_view term, const TermStatistics& statistics) -> Result<void> {
    chunk.text.append(term);
    chunk.terms.push_back({chunk.text.size(), statistics});
    if (chunk.terms.size() == kChunkTerms && !to.give(range, std::exchange(chunk, {}))) return closed;
    return {};
  }));
  if (!chunk.terms.empty() && !to.give(range, std::move(chunk))) return closed;
  to.end(range);
  return {};
}

}  // namespace

Result<TermTotals> merge_terms_of_files(
    std::span<const FilesOfPartition> partitions, std::uint32_t threads,
    const std::function<Result<void>(std::string_view, const TermStatistics&)>& visit) {
  if (partitions.empty()) return TermTotals{};
  std::uint64_t cursor_bytes = 0;  // of one thread
  for (const FilesOfPartition& one : partitions) cursor_bytes += (64u << 10) + bytes_of_terms(one) / 150;
  const auto workers = std::clamp<std::uint64_t>(kMaxCursorBytes / cursor_bytes, 1, std::max(1u, threads));
  const auto largest = std::max_element(
      partitions.begin(), partitions.end(),
      [](const FilesOfPartition& a, const FilesOfPartition& b) { return bytes_of_terms(a) < bytes_of_terms(b); });
  const std::vector<std::string> begins = FROND_TRY(begins_of_ranges(*largest));

  OrderedChunks chunks(begins.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&]() -> Result<void> {
    const FilesCursors cursors = cursors_of(partitions);
    for (std::size_t range = next++; range < begins.size(); range = next++)
      FROND_TRY(merge_range(cursors, begins, range, chunks));
    return {};
  };
  std::vector<std::jthread> running;
  for (std::uint64_t i = 0; i < workers; ++i)
    running.emplace_back([&, i] {
      name_this_thread(("terms-" + std::to_string(i)).c_str());
      try {
        if (auto done = work(); !done) chunks.close(std::move(done).error());
      } catch (const std::exception& thrown) {
        chunks.close(Error(Code::kUnavailable, thrown.what()));
      }
    });

  TermTotals totals;
  const auto take_all = [&]() -> Result<void> {
    while (const auto chunk = FROND_TRY(chunks.take())) {
      std::size_t begin = 0;
      for (const Chunk::Term& term : chunk->terms) {
        ++totals.terms;
        totals.postings += term.statistics.document_frequency;
        totals.occurrences += term.statistics.occurrences;
        FROND_TRY(visit(std::string_view(chunk->text).substr(begin, term.end - begin), term.statistics));
        begin = term.end;
      }
    }
    return {};
  };
  auto taken = take_all();
  chunks.close(std::nullopt);
  running.clear();  // joins
  if (!taken) return std::move(taken).error();
  return totals;
}

}  // namespace frond::partition
