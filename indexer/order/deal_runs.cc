#include "indexer/order/deal_runs.h"

#include <algorithm>
#include <limits>
#include <string>

#include "indexer/runs/run_merger.h"
#include "indexer/runs/run_writer.h"

namespace frond::indexer::order {
namespace {

// The postings of one term for one partition.
struct Share {
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
};

struct Posting {
  std::uint32_t place;
  Frequency frequency;
};

class RunDealer {
 public:
  explicit RunDealer(const Dealing& dealing) : dealing_(dealing), shares_(dealing.partitions) {}

  Result<void> open() {
    const auto frame_bytes = std::clamp<std::size_t>(dealing_.memory / 8 / dealing_.partitions,
                                                     runs::RunWriter::kMinFrameBytes, runs::kFramePayloadBytes);
    for (std::uint32_t p = 0; p < dealing_.partitions; ++p)
      writers_.push_back(FROND_TRY(
          runs::RunWriter::create(dealing_.folder / ("ordered-p" + std::to_string(p) + ".run"), p, frame_bytes)));
    return {};
  }

  Result<void> add(std::string_view term, std::span<const DocId> docids, std::span<const Frequency> frequencies) {
    if (docids.back() >= dealing_.places.size())
      return Error(Code::kCorrupt, "a run names document " + std::to_string(docids.back()) + " of " +
                                       std::to_string(dealing_.places.size()));
    postings_.clear();
    for (std::size_t i = 0; i < docids.size(); ++i) postings_.push_back({dealing_.places[docids[i]], frequencies[i]});
    std::sort(postings_.begin(), postings_.end(), [](const Posting& a, const Posting& b) { return a.place < b.place; });
    for (const Posting& posting : postings_) {
      Share& share = shares_[posting.place % dealing_.partitions];
      share.docids.push_back(posting.place / dealing_.partitions);
      share.frequencies.push_back(posting.frequency);
    }
    for (std::uint32_t p = 0; p < dealing_.partitions; ++p) {
      Share& share = shares_[p];
      if (share.docids.empty()) continue;
      FROND_TRY(writers_[p].add(term, share.docids, share.frequencies));
      share.docids.clear();
      share.frequencies.clear();
    }
    return {};
  }

  Result<std::vector<std::filesystem::path>> finish() {
    std::vector<std::filesystem::path> paths;
    for (runs::RunWriter& writer : writers_) paths.push_back(FROND_TRY(writer.finish()).path);
    return paths;
  }

 private:
  const Dealing& dealing_;
  std::vector<runs::RunWriter> writers_;
  std::vector<Posting> postings_;  // of the term at hand
  std::vector<Share> shares_;
};

}  // namespace

Result<std::vector<std::filesystem::path>> deal_runs(std::span<const std::filesystem::path> runs,
                                                     const Dealing& dealing) {
  runs::RunMerger merger = FROND_TRY(runs::RunMerger::open(runs, 0));
  RunDealer dealer(dealing);
  FROND_TRY(dealer.open());
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  while (FROND_TRY(merger.next_term())) {
    if (dealing.stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    docids.clear();
    frequencies.clear();
    FROND_TRY(merger.read(docids, frequencies, std::numeric_limits<std::size_t>::max()));
    FROND_TRY(dealer.add(merger.term(), docids, frequencies));
  }
  return dealer.finish();
}

}  // namespace frond::indexer::order
