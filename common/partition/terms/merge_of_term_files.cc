#include "common/partition/terms/term_files.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/thread_name.h"
#include "common/partition/format/format.h"

namespace frond::partition {
namespace {

using FilesCursors = std::vector<std::unique_ptr<TermFilesCursor>>;

constexpr std::size_t kChunkTerms = 1024;
constexpr std::uint64_t kMaxIndexBytes = std::uint64_t{2} << 20;  // of the file that a cursor has open
// How many chunks may wait to be taken; the memory decides. One range may have 3 % of all terms: while one thread
// merges it, the others go on with the ranges behind it until so many of their chunks wait.
constexpr std::uint64_t kMinChunks = 128, kMaxChunks = 4096, kChunkBytes = 64 << 10, kMoreOfCurrent = 8;
// A range has the terms of so many prefixes of so many bytes, as they occur in the largest partition: some thousand
// terms where there are millions. A large partition's files have more terms with each prefix.
constexpr std::size_t kPrefixes = 8, kPrefixBytes = 3;
constexpr std::uint64_t kLargeTermBytes = std::uint64_t{4} << 20;

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
// `most`, and some more of the range that is taken from, so no thread waits for ever.
class OrderedChunks {
 public:
  explicit OrderedChunks(std::size_t most) : most_(most) {}
  // Waits for room. False: it is closed.
  bool give(std::size_t range, Chunk chunk) {
    MutexLock lock(mutex_);
    changed_.wait(lock.mutex(), [&]() FROND_REQUIRES(mutex_) {
      return closed_ || held_ < most_ || (range == current_ && ranges_[range].chunks.size() < kMoreOfCurrent);
    });
    if (closed_) return false;
    ranges_[range].chunks.push_back(std::move(chunk));
    ++held_;
    changed_.notify_all();
    return true;
  }
  // `range` has no more chunks.
  void end(std::size_t range) {
    const MutexLock lock(mutex_);
    ranges_[range].ended = true;
    changed_.notify_all();
  }
  // There are only so many ranges.
  void limit(std::size_t ranges) {
    const MutexLock lock(mutex_);
    limit_ = ranges;
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
    for (;; ranges_.erase(current_++), changed_.notify_all()) {
      changed_.wait(lock.mutex(), [&]() FROND_REQUIRES(mutex_) {
        return closed_ || current_ == limit_ || !ranges_[current_].chunks.empty() || ranges_[current_].ended;
      });
      if (closed_) return error_ ? *error_ : Error(Code::kUnavailable, "terms: stopped");
      if (current_ == limit_) return std::optional<Chunk>();
      std::deque<Chunk>& chunks = ranges_[current_].chunks;
      if (chunks.empty()) continue;
      std::optional<Chunk> chunk(std::move(chunks.front()));
      chunks.pop_front();
      --held_;
      changed_.notify_all();
      return chunk;
    }
  }

 private:
  struct Range {
    std::deque<Chunk> chunks;
    bool ended = false;
  };
  const std::size_t most_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::size_t, Range> ranges_ FROND_GUARDED_BY(mutex_);  // those that were not taken whole
  std::size_t current_ FROND_GUARDED_BY(mutex_) = 0, held_ FROND_GUARDED_BY(mutex_) = 0;
  std::size_t limit_ FROND_GUARDED_BY(mutex_) = ~std::size_t{0};
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

// The least string that is greater than all strings with the first kPrefixBytes of `term`; none: there is no greater
// one.
std::optional<std::string> behind_prefix(std::string_view term) {
  if (term.size() < kPrefixBytes) return std::string(term) + '\0';
  std::string next(term.substr(0, kPrefixBytes));
  while (!next.empty() && static_cast<unsigned char>(next.back()) == 0xff) next.pop_back();
  if (next.empty()) return std::nullopt;
  ++next.back();
  return next;
}

struct Range {
  std::size_t number;
  std::string begin;
  std::optional<std::string> end;  // none: the last range
};

// Cuts all strings into ranges. Any thread.
class Ranges {
 public:
  explicit Ranges(const FilesOfPartition& largest)
      : cursor_(terms_of_files(largest.folder, largest.files)),
        prefixes_(bytes_of_terms(largest) < kLargeTermBytes ? kPrefixes : 1) {}
  // The next range; none: there is none left.
  Result<std::optional<Range>> next() {
    const MutexLock lock(mutex_);
    if (!begin_) return std::optional<Range>();
    Range range{count_++, *std::move(begin_), {}};
    begin_ = range.begin;
    for (std::size_t i = 0; i < prefixes_ && begin_; ++i) {
      FROND_TRY(cursor_->seek(*begin_));
      begin_ = FROND_TRY(cursor_->next()) ? behind_prefix(cursor_->term()) : std::nullopt;
    }
    range.end = begin_;
    return std::optional(std::move(range));
  }
  std::size_t count() const {
    const MutexLock lock(mutex_);
    return count_;
  }

 private:
  mutable Mutex mutex_;
  const std::unique_ptr<TermFilesCursor> cursor_;
  const std::size_t prefixes_;  // of a range
  std::optional<std::string> begin_ FROND_GUARDED_BY(mutex_) = "";
  std::size_t count_ FROND_GUARDED_BY(mutex_) = 0;
};

// Those terms of a cursor that are less than `end`.
class BoundedCursor final : public TermCursor {
 public:
  BoundedCursor(TermFilesCursor& cursor, const std::optional<std::string>& end) : cursor_(cursor), end_(end) {}
  Result<bool> next() override {
    if (!FROND_TRY(cursor_.next())) return false;
    return !end_ || cursor_.term() < *end_;
  }
  std::string_view term() const override { return cursor_.term(); }
  const TermStatistics& statistics() const override { return cursor_.statistics(); }

 private:
  TermFilesCursor& cursor_;
  const std::optional<std::string>& end_;
};

Result<void> merge_range(const FilesCursors& cursors, const Range& range, OrderedChunks& to) {
  TermCursors bounded;
  for (const auto& cursor : cursors) {
    FROND_TRY(cursor->seek(range.begin));
    bounded.push_back(std::make_unique<BoundedCursor>(*cursor, range.end));
  }
  const Error closed(Code::kUnavailable, "terms: stopped");
  Chunk chunk;
  FROND_TRY(merge_terms(bounded, [&](std::string_view term, const TermStatistics& statistics) -> Result<void> {
    chunk.text.append(term);
    chunk.terms.push_back({chunk.text.size(), statistics});
    if (chunk.terms.size() == kChunkTerms && !to.give(range.number, std::exchange(chunk, {}))) return closed;
    return {};
  }));
  if (!chunk.terms.empty() && !to.give(range.number, std::move(chunk))) return closed;
  to.end(range.number);
  return {};
}

}  // namespace

Result<TermTotals> merge_terms_of_files(
    std::span<const FilesOfPartition> partitions, MergeMeans means,
    const std::function<Result<void>(std::string_view, const TermStatistics&)>& visit) {
  if (partitions.empty()) return TermTotals{};
  std::uint64_t cursor_bytes = 0;  // of one thread
  for (const FilesOfPartition& one : partitions)
    cursor_bytes += (64u << 10) + std::min(bytes_of_terms(one) / 150, kMaxIndexBytes);
  const auto most = std::clamp(means.max_bytes / 8 / kChunkBytes, kMinChunks, kMaxChunks);
  const auto workers =
      std::clamp<std::uint64_t>((means.max_bytes - means.max_bytes / 8) / cursor_bytes, 1, std::max(1u, means.threads));
  const auto largest = std::max_element(
      partitions.begin(), partitions.end(),
      [](const FilesOfPartition& a, const FilesOfPartition& b) { return bytes_of_terms(a) < bytes_of_terms(b); });
  Ranges ranges(*largest);
  OrderedChunks chunks(most);
  const auto work = [&]() -> Result<void> {
    const FilesCursors cursors = cursors_of(partitions);
    while (const std::optional<Range> range = FROND_TRY(ranges.next())) FROND_TRY(merge_range(cursors, *range, chunks));
    chunks.limit(ranges.count());
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
