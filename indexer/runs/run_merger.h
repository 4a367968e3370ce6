#pragma once
// Runs of one partition, merged: terms in byte order, each with all its postings in docID order.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/runs/run_reader.h"
#include "indexer/runs/run_writer.h"

namespace frond::indexer {

// Runs that are read at once: bounds open files and memory (kMaxFanIn readers, 40 MiB and less in practice).
inline constexpr std::size_t kMaxFanIn = 64;

// One thread. Of two runs that share a term, the earlier one in `runs` has the lower docIDs. Errors name the run:
// kCorrupt (also when docIDs do not ascend from run to run), kUnavailable.
class RunMerger {
 public:
  // At most kMaxFanIn runs.
  static Result<RunMerger> open(std::span<const std::filesystem::path> runs, std::uint32_t partition);

  // Moves to the next term, past what was not read of this one; false when there is none.
  Result<bool> next_term();
  std::string_view term() const { return term_; }
  // Appends postings of the term, in docID order, until `docids` has at least `wanted` or the term has no more. False
  // when it had none left.
  Result<bool> read(std::vector<DocId>& docids, std::vector<Frequency>& frequencies, std::size_t wanted);

 private:
  RunMerger() = default;
  Result<void> advance(std::size_t run);
  // Among the runs, by the term at hand and then by place: a heap whose front comes first.
  bool later(std::size_t a, std::size_t b) const {
    const int order = readers_[a].term().compare(readers_[b].term());
    return order != 0 ? order > 0 : a > b;
  }
  std::vector<RunReader> readers_;
  std::vector<std::size_t> heap_;  // of the runs that have a record
  std::string term_;
  bool any_ = false;      // a posting of the term was read
  DocId last_docid_ = 0;  // the last one
};

// Where there are more than kMaxFanIn runs, merges neighbours into larger ones, written to `folder`, until there are
// not; the merged ones are removed. Order is kept.
Result<std::vector<std::filesystem::path>> reduce_runs(std::vector<std::filesystem::path> runs, std::uint32_t partition,
                                                       const std::filesystem::path& folder);

}  // namespace frond::indexer
