#include "indexer/change/hidden_terms.h"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "indexer/change/in_parallel.h"

namespace frond::indexer::change {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastDocuments = 128;  // a piece of work has more, unless there are no more

// Documents that a partition is to lose. Each piece opens the partition for itself, which is cheap where it was
// published: a PublishedPartition is one thread's.
struct Piece {
  std::size_t number = 0;  // of the partition
  std::span<const DocId> docids;
  RemovedTerms removed{};
};

// Few pieces: each opens the lists of common terms. Where all lists are read, or all files fetched, one a partition.
std::vector<Piece> pieces_of(const CurrentGeneration& current, const std::map<std::size_t, std::vector<DocId>>& hidden,
                             std::size_t documents_each) {
  std::vector<Piece> pieces;
  for (const auto& [number, docids] : hidden) {
    const std::size_t documents = current.manifest().partitions[number].summary.documents;
    const bool whole = !current.in_place() || reads_all_lists(docids.size(), documents);
    const std::span<const DocId> all = docids;
    for (std::size_t at = 0, some = 0; at < all.size(); at += some) {
      some = whole ? all.size() : std::min(all.size() - at, documents_each);
      pieces.push_back({number, all.subspan(at, some)});
    }
  }
  return pieces;
}

Result<void> count(const CurrentGeneration& current, Piece& piece, const fs::path& scratch, std::size_t held) {
  const fs::path folder = scratch / ("opened-" + current.manifest().partitions[piece.number].id);
  auto removed = [&]() -> Result<RemovedTerms> {
    const auto partition = FROND_TRY(current.open_partition(piece.number, folder));
    return removed_terms(*partition, piece.docids, current.manifest().analyzer, held);
  }();
  if (!current.in_place()) {
    std::error_code failed;
    fs::remove_all(folder, failed);
    if (failed && removed) return Error(Code::kUnavailable, folder.string() + ": " + failed.message());
  }
  piece.removed = FROND_TRY(std::move(removed));
  return {};
}

}  // namespace

Result<std::map<std::size_t, RemovedTerms>> hidden_terms(const CurrentGeneration& current,
                                                         const std::map<std::size_t, std::vector<DocId>>& hidden,
                                                         const fs::path& scratch) {
  std::size_t documents = 0;
  for (const auto& [number, docids] : hidden) documents += docids.size();
  const std::size_t threads = threads_for(documents, kLeastDocuments);
  std::vector<Piece> pieces =
      pieces_of(current, hidden, std::max(kLeastDocuments, (documents + threads - 1) / threads));
  FROND_TRY(in_parallel(pieces.size(), threads,
                        [&](std::size_t i) { return count(current, pieces[i], scratch, kHeldTermBytes / threads); }));
  std::map<std::size_t, RemovedTerms> terms;
  for (Piece& piece : pieces) {
    RemovedTerms& sum = terms[piece.number];
    sum.tokens += piece.removed.tokens;
    sum.postings += piece.removed.postings;
    if (sum.documents.empty())
      sum.documents = std::move(piece.removed.documents);
    else
      for (const auto& [term, some] : piece.removed.documents) sum.documents[term] += some;
  }
  return terms;
}

}  // namespace frond::indexer::change
