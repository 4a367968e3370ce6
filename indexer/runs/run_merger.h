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
#include "indexer/runs/run_reader.h"
#include "indexer/runs/run_writer.h"

namespace frond::indexer::runs {

// The runs that are read at once: bounds open files, and memory to 5 MiB.
inline constexpr std::size_t kMaxFanIn = 64;

// One thread. Of two runs with the same term, the earlier one in `runs` has the lower docIDs. If its last docID is the
// other's first, each has a part of that document, and the frequencies are added. Errors name the run: kCorrupt (also
// if docIDs do not ascend from run to run), kUnavailable.
class RunMerger {
 public:
  // At most kMaxFanIn runs.
  static Result<RunMerger> open(std::span<const std::filesystem::path> runs, std::uint32_t partition);

  // Moves to the next term, past the unread postings of this one. False: there is none.
  Result<bool> next_term();
  std::string_view term() const { return term_; }
  // Appends postings of the term, in docID order, until `docids` has at least `wanted` or the term has no more. False:
  // it had none left.
  Result<bool> read(std::vector<DocId>& docids, std::vector<Frequency>& frequencies, std::size_t wanted);

 private:
  RunMerger() = default;
  Result<void> advance(std::size_t run);
  Result<void> take_record(std::size_t run, std::vector<DocId>& docids, std::vector<Frequency>& frequencies);
  // Orders runs by their term at hand and then by place, for a heap whose front comes first.
  bool later(std::size_t a, std::size_t b) const {
    const int order = readers_[a].term().compare(readers_[b].term());
    return order != 0 ? order > 0 : a > b;
  }
  std::vector<RunReader> readers_;
  std::vector<std::size_t> heap_;  // of the runs that have a record
  std::string term_;
  // The term's last posting so far, not yet given: the next run may add to its frequency.
  struct Held {
    DocId docid;
    Frequency frequency;
    std::size_t run;
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
