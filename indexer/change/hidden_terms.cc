#include "indexer/change/hidden_terms.h"

#include <algorithm>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "common/base/mutex.h"
#include "common/base/parallel.h"

namespace frond::indexer::change {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastDocuments = 128;  // a piece of work has more, unless there are no more

// Documents that a partition is to lose. Each piece opens the partition for itself, which is cheap where it was
// published: a PublishedPartition is one thread's.
struct Piece {
  std::size_t number = 0;  // of the partition
  std::span<const DocId> docids;
  RemovedTerms::Counts counts{};
  std::vector<DocId> unknown{};  // what docids is of, where ranges did not tell
};

// Whether less is fetched if only ranges are read. A small partition comes while one answer is waited for.
bool pays_to_read_ranges(const repository::PartitionEntry& entry, std::size_t docids) {
  constexpr std::uint64_t kSmallPartition = std::uint64_t{1} << 20;
  std::uint64_t bytes = 0;
  for (const auto& file : entry.summary.files) bytes += file.bytes;
  return !reads_all_lists(docids, entry.summary.documents) && bytes > kSmallPartition;
}

// Few pieces: each opens the lists of common terms. Where all lists are read, or files are elsewhere, one a partition:
// each would fetch the same indexes and arrays, or all files.
std::vector<Piece> pieces_of(const CurrentGeneration& current, const std::map<std::size_t, std::vector<DocId>>& hidden,
                             std::size_t documents_each) {
  std::vector<Piece> pieces;
  for (const auto& [number, docids] : hidden) {
    const repository::PartitionEntry& entry = current.manifest().partitions[number];
    const bool whole = !current.in_place() || reads_all_lists(docids.size(), entry.summary.documents);
    const std::span<const DocId> all = docids;
    for (std::size_t at = 0, some = 0; at < all.size(); at += some) {
      some = whole ? all.size() : std::min(all.size() - at, documents_each);
      pieces.push_back({number, all.subspan(at, some)});
    }
  }
  return pieces;
}

// Lends each thread an analyzer and the counts of what it has analysed. Any thread.
class Counters {
 public:
  Counters(const text::AnalyzerConfig& analyzer, const fs::path& scratch, std::size_t held)
      : analyzer_(analyzer), scratch_(scratch), held_(held) {}

  template <class Work>
  Result<void> with_one(const Work& work) {
    std::unique_ptr<RemovedTerms> one;
    {
      const MutexLock lock(mutex_);
      if (!idle_.empty()) {
        one = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (one == nullptr) one = std::make_unique<RemovedTerms>(analyzer_, scratch_, held_);
    auto outcome = work(*one);
    const MutexLock lock(mutex_);
    idle_.push_back(std::move(one));
    return outcome;
  }
  // Called last: of all.
  std::unique_ptr<partition::ChangeCursor> sum() {
    const MutexLock lock(mutex_);
    std::vector<TermCounts> all;
    for (const auto& one : idle_) all.push_back(one->take_documents());
    return terms_of(std::move(all));
  }

 private:
  const text::AnalyzerConfig& analyzer_;
  const fs::path& scratch_;
  const std::size_t held_;
  Mutex mutex_;
  std::vector<std::unique_ptr<RemovedTerms>> idle_ FROND_GUARDED_BY(mutex_);
};

// What ranges tell; leaves the other documents in piece.docids. Changes nothing after an error. Of an object store.
Result<void> count_by_ranges(const CurrentGeneration& current, Piece& piece, const fs::path& scratch,
                             RemovedTerms& terms) {
  const auto partition = current.open_by_ranges(piece.number);
  RemovedTerms told(current.manifest().analyzer, scratch, terms.held());
  std::vector<DocId> unknown;
  piece.counts = FROND_TRY(told.add_told(*partition, piece.docids, unknown));
  terms.add_all(std::move(told));
  piece.unknown = std::move(unknown);
  piece.docids = piece.unknown;
  return {};
}

Result<void> count(const CurrentGeneration& current, Piece& piece, const fs::path& scratch, RemovedTerms& terms) {
  if (!current.in_place() && pays_to_read_ranges(current.manifest().partitions[piece.number], piece.docids.size())) {
    auto told = count_by_ranges(current, piece, scratch, terms);
    if (told && piece.docids.empty()) return {};
    // What was damaged on the way is fetched as a whole, which is repeated where its checksum is wrong.
    if (!told && told.error().code() != Code::kCorrupt) return told;
  }
  const fs::path folder = scratch / ("opened-" + current.manifest().partitions[piece.number].id);
  auto counted = [&]() -> Result<RemovedTerms::Counts> {
    const auto partition = FROND_TRY(current.open_partition(piece.number, folder));
    return terms.add(*partition, piece.docids);
  }();
  if (!current.in_place()) {
    std::error_code failed;
    fs::remove_all(folder, failed);
    if (failed && counted) return Error(Code::kUnavailable, folder.string() + ": " + failed.message());
  }
  const auto& counts = FROND_TRY(std::move(counted));
  piece.counts.tokens += counts.tokens;
  piece.counts.postings += counts.postings;
  return {};
}

}  // namespace

Result<HiddenTerms> hidden_terms(const CurrentGeneration& current,
                                 const std::map<std::size_t, std::vector<DocId>>& hidden, const fs::path& scratch) {
  std::size_t documents = 0;
  for (const auto& [number, docids] : hidden) documents += docids.size();
  const std::size_t threads = threads_for(documents, kLeastDocuments);
  std::vector<Piece> pieces =
      pieces_of(current, hidden, std::max(kLeastDocuments, (documents + threads - 1) / threads));
  const std::size_t at_once = current.in_place() ? threads : std::max(threads, GenerationFiles::kPartitionsByRanges);
  Counters counters(current.manifest().analyzer, scratch, kHeldTermBytes / at_once);
  FROND_TRY(in_parallel(pieces.size(), at_once, [&](std::size_t i) {
    return counters.with_one([&](RemovedTerms& terms) { return count(current, pieces[i], scratch, terms); });
  }));
  HiddenTerms all{counters.sum(), {}};
  for (const Piece& piece : pieces) {
    RemovedTerms::Counts& sum = all.counts[piece.number];
    sum.tokens += piece.counts.tokens;
    sum.postings += piece.counts.postings;
  }
  return all;
}

}  // namespace frond::indexer::change
