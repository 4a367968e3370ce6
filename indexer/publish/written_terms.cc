#include "indexer/publish/written_terms.h"

#include <numeric>
#include <span>
#include <utility>

namespace frond::indexer::publish {

Result<std::unique_ptr<WrittenTerms>> WrittenTerms::create(const std::filesystem::path& file, std::uint32_t threads) {
  auto out = FROND_TRY(partition::TermSectionsWriter::create(file, threads));
  return std::unique_ptr<WrittenTerms>(new WrittenTerms(file, std::move(out)));
}

Result<void> WrittenTerms::put(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences) {
  ++totals_.terms;
  totals_.postings += document_frequency;
  totals_.occurrences += occurrences;
  return out_.put(term, document_frequency);
}

Result<void> WrittenTerms::put(const PostingGroup& group) {
  std::size_t begin = 0;
  for (const PostingGroup::Piece& piece : group.pieces) {
    const auto frequencies = std::span(group.frequencies).subspan(begin, piece.end - begin);
    begin = piece.end;
    open_documents_ += frequencies.size();
    open_occurrences_ = std::accumulate(frequencies.begin(), frequencies.end(), open_occurrences_);
    if (!piece.last) continue;
    FROND_TRY(put(piece.term, std::exchange(open_documents_, 0), std::exchange(open_occurrences_, 0)));
  }
  return {};
}

Result<TermsFile> WrittenTerms::finish() {
  FROND_TRY(out_.finish(totals_));
  return TermsFile{file_, totals_};
}

}  // namespace frond::indexer::publish
