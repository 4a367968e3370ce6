#include "indexer/publish/term_statistics.h"

#include <utility>

namespace frond::indexer::publish {

Result<std::unique_ptr<TermsWriter>> TermsWriter::create(const std::filesystem::path& file, std::uint32_t threads) {
  auto out = FROND_TRY(partition::TermSectionsWriter::create(file, threads));
  return std::unique_ptr<TermsWriter>(new TermsWriter(file, std::move(out)));
}

Result<void> TermsWriter::put(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences) {
  ++totals_.terms;
  totals_.postings += document_frequency;
  totals_.occurrences += occurrences;
  return out_.put(term, document_frequency);
}

Result<void> TermsWriter::put(const PostingGroup& group) {
  std::size_t begin = 0;
  for (const PostingGroup::Piece& piece : group.pieces) {
    for (std::size_t i = begin; i < piece.end; ++i) occurrences_ += group.frequencies[i];
    documents_ += piece.end - std::exchange(begin, piece.end);
    if (piece.last) FROND_TRY(put(piece.term, std::exchange(documents_, 0), std::exchange(occurrences_, 0)));
  }
  return {};
}

Result<TermsFile> TermsWriter::finish() {
  FROND_TRY(out_.finish(totals_));
  return TermsFile{file_, totals_};
}

}  // namespace frond::indexer::publish
