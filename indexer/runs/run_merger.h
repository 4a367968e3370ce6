#pragma once
// Merges the runs of one partition: terms in byte order, each with all its postings in docID order.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/runs/run_cursor.h"

namespace frond::indexer::runs {

// The runs that are read at once: bounds open files, and memory to 10 MiB.
inline constexpr std::size_t kMaxFanIn = 128;

// One thread. Of two runs with the same term, the earlier one in `runs` has the lower docIDs. If its last docID is the
// other's first, each has a part of that document, and the frequencies are added. Errors name the run: kCorrupt (also
// if docIDs do not ascend from run to run), kUnavailable.
class RunMerger {
 public:
  // At most kMaxFanIn runs. ahead: takes RunCursor::kAheadBytes of each run beside what this holds.
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
  struct Held {
    DocId docid;
    Frequency frequency;
    std::uint32_t run;
  };
  std::optional<Held> held_;
};

// Merges neighbouring runs into larger ones in `folder` until there are at most kMaxFanIn. Keeps the order. The runs
// that were given stay.
Result<std::vector<std::filesystem::path>> reduce_runs(std::span<const std::filesystem::path> runs,
                                                       std::uint32_t partition, const std::filesystem::path& folder);
// Removes those of `reduced` that reduce_runs() has made of `runs`. A merger that has opened them may still read them.
void remove_merged(std::span<const std::filesystem::path> reduced, std::span<const std::filesystem::path> runs);

}  // namespace frond::indexer::runs
