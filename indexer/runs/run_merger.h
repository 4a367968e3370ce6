#pragma once
// Merges the runs of one partition: terms in byte order, each with all its postings in docID order. Reading, checking
// and decoding runs takes more than half of a merge's time, and is the same work for each run: where there is memory,
// other threads do it ahead of the one that merges.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/threads/task_pool.h"
#include "indexer/runs/run_file.h"

namespace frond::indexer::runs {

// The records of one run, one after the other. One thread. Holds a RunReader; with a pool, records of up to kAheadBytes
// beside it. Errors name the file: kCorrupt, kUnavailable.
class RunCursor {
 public:
  static constexpr std::uint64_t kAheadBytes = std::uint64_t{512} << 10;

  // ahead: has records read and decoded ahead; outlives this. Null: they are read when they are needed.
  static Result<RunCursor> open(const std::filesystem::path& path, std::uint32_t partition, TaskPool* ahead = nullptr);
  // Moves to the next record; false after the last one.
  Result<bool> next() { return ahead_ ? next_of_batch() : next_of_reader(); }
  // The record at hand, until next() is called.
  std::string_view term() const { return term_; }
  std::span<const DocId> docids() const { return docids_; }
  std::span<const Frequency> frequencies() const { return frequencies_; }
  Error corrupt(const std::string& what) const { return Error(Code::kCorrupt, path_.string() + ": " + what); }

 private:
  // A batch ends with the record that reaches one of these. Two batches are below kAheadBytes.
  static constexpr std::size_t kBatchPostings = 8192, kBatchRecords = 4096, kBatchTermBytes = std::size_t{32} << 10;
  struct Batch {
    struct Record {
      std::uint32_t term_end, posting_end;
    };
    std::string terms;
    std::vector<Record> records;
    std::vector<DocId> docids;
    std::vector<Frequency> frequencies;
    bool last = false;           // the run has no more
    std::optional<Error> error;  // behind the records
  };
  explicit RunCursor(std::filesystem::path path) : path_(std::move(path)) {}
  static Batch read_batch(RunReader& reader);
  Result<bool> next_of_reader();
  Result<bool> next_of_batch();
  void begin_batch();

  std::filesystem::path path_;
  std::unique_ptr<RunReader> reader_;  // of a task, while there is one
  Batch batch_;
  std::size_t at_ = 0;  // of the next record
  std::string_view term_;
  std::span<const DocId> docids_;
  std::span<const Frequency> frequencies_;
  std::unique_ptr<OrderedTasks<Batch>> ahead_;  // last: it uses the reader. Null: nothing is read ahead
};

// The runs that are read at once: bounds open files, and memory to 10 MiB.
inline constexpr std::size_t kMaxFanIn = 128;

// One thread. Of two runs with the same term, the earlier one in `runs` has the lower docIDs. If its last docID is the
// other's first, each has a part of that document, and the frequencies are added. Errors name the run: kCorrupt (also
// if docIDs do not ascend from run to run), kUnavailable.
class RunMerger {
 public:
  // ahead: takes RunCursor::kAheadBytes of each run beside what this holds.
  // REQUIRES: at most kMaxFanIn runs.
  static Result<RunMerger> open(std::span<const std::filesystem::path> runs, std::uint32_t partition,
                                TaskPool* ahead = nullptr);

  // Moves to the next term, past the unread postings of this one. False: there is none.
  Result<bool> next_term();
  // Valid until the next call of next_term().
  std::string_view term() const { return term_; }
  // Appends postings of the term, in docID order, until `docids` has at least `wanted` or the term has no more. False:
  // it had none left.
  Result<bool> read(std::vector<DocId>& docids, std::vector<Frequency>& frequencies, std::size_t wanted);

 private:
  // A term as far as most comparisons need it: its first bytes, as a number that sorts as they do, and its size.
  struct TermKey {
    std::uint64_t head = 0;
    std::size_t size = 0;
  };
  static TermKey key_of(std::string_view term);

  RunMerger() = default;
  Result<void> advance(std::uint32_t run);
  Result<void> take_record(std::uint32_t run, std::vector<DocId>& docids, std::vector<Frequency>& frequencies);
  bool comes_first(std::uint32_t a, std::uint32_t b) const;
  void play();
  void play_again();
  std::uint32_t first() const { return tree_[0]; }
  bool at_end() const { return tree_.empty() || ended_[first()]; }
  bool goes_on() const;

  std::vector<RunCursor> readers_;
  std::vector<TermKey> keys_;  // of the readers' records at hand
  std::vector<char> ended_;    // whether a reader has none
  // A tree of losers over the readers (Knuth, The Art of Computer Programming, vol. 3, 5.4.1): tree_[0] is the run
  // whose record comes first, the others lost a comparison each.
  std::vector<std::uint32_t> tree_;
  std::string term_;
  TermKey key_;  // of term_
  // The term's last posting so far, not yet given: the next run may add to its frequency.
  struct Pending {
    DocId docid;
    Frequency frequency;
    std::uint32_t run;
  };
  std::optional<Pending> pending_;
};

// Merges neighbouring runs into larger ones in `folder` until there are at most kMaxFanIn. Keeps the order. The runs
// that were given stay.
Result<std::vector<std::filesystem::path>> reduce_runs(std::span<const std::filesystem::path> runs,
                                                       std::uint32_t partition, const std::filesystem::path& folder);
// Removes those of `reduced` that reduce_runs() has made of `runs`. A merger that has opened them may still read them.
void remove_merged(std::span<const std::filesystem::path> reduced, std::span<const std::filesystem::path> runs);

}  // namespace frond::indexer::runs
