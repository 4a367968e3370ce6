#include "indexer/publish/list_stream.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "common/postings/list_builder.h"
#include "common/postings/list_view.h"

namespace frond::indexer::publish {

Result<PostingMerger> PostingMerger::open(const ListSource& source) {
  const auto reduced = FROND_TRY(runs::reduce_runs(source.runs, source.partition, source.scratch));
  PostingMerger merger(FROND_TRY(runs::RunMerger::open(reduced, source.partition)));
  runs::remove_merged(reduced, source.runs);
  return merger;
}

Result<std::optional<PostingGroup>> PostingMerger::next() {
  PostingGroup group;
  while (group.bytes < kPostingGroupBytes && FROND_TRY(add_piece(group))) {
  }
  if (group.pieces.empty()) return std::optional<PostingGroup>();
  return std::optional<PostingGroup>(std::move(group));
}

// False: there is none left.
Result<bool> PostingMerger::add_piece(PostingGroup& group) {
  const bool first = !in_term_;
  if (first && !FROND_TRY(merger_.next_term())) return false;
  // One posting more than a segment tells that the list goes on.
  while (docids_.size() <= postings::kSegmentPostings &&
         FROND_TRY(merger_.read(docids_, frequencies_, postings::kSegmentPostings + 1))) {
  }
  const std::size_t size = std::min<std::size_t>(docids_.size(), postings::kSegmentPostings);
  const auto end = static_cast<std::ptrdiff_t>(size);
  in_term_ = size < docids_.size();
  group.docids.insert(group.docids.end(), docids_.begin(), docids_.begin() + end);
  group.frequencies.insert(group.frequencies.end(), frequencies_.begin(), frequencies_.begin() + end);
  docids_.erase(docids_.begin(), docids_.begin() + end);
  frequencies_.erase(frequencies_.begin(), frequencies_.begin() + end);
  group.pieces.push_back({std::string(merger_.term()), group.docids.size(), first, !in_term_});
  group.bytes += size * (sizeof(DocId) + sizeof(Frequency)) + sizeof(PostingGroup::Piece) + merger_.term().size();
  return true;
}

Result<std::vector<BuiltLists>> build_lists(const ListSource& source, const PostingGroup& group) {
  const postings::ListBuilder builder(source.codecs, source.lengths, source.b, source.average_length);
  std::vector<BuiltLists> lists(1);
  ByteBuffer blob;
  std::size_t begin = 0;
  for (const PostingGroup::Piece& piece : group.pieces) {
    const auto docids = std::span(group.docids).subspan(begin, piece.end - begin);
    const auto frequencies = std::span(group.frequencies).subspan(begin, piece.end - begin);
    begin = piece.end;
    if (docids.back() >= source.lengths.size())
      return Error(Code::kCorrupt, "partition " + std::to_string(source.partition) + ": a run names document " +
                                       std::to_string(docids.back()) + " of " + std::to_string(source.lengths.size()));
    const auto occurrences = std::accumulate(frequencies.begin(), frequencies.end(), std::uint64_t{0});
    if (piece.first && piece.last) {
      blob.clear();
      builder.append(docids, frequencies, blob);
      FROND_TRY(lists.back().whole.add(piece.term, docids.size(), occurrences, blob));
      continue;
    }
    lists.back().piece = {piece.term, docids.size(), occurrences, builder.build(docids, frequencies), piece.last};
    lists.emplace_back();
  }
  return lists;
}

Result<void> ListJoiner::add(std::vector<BuiltLists> lists) {
  for (BuiltLists& some : lists) {
    FROND_TRY(writer_.add_lists(some.whole));
    if (some.piece) FROND_TRY(add_piece(*std::move(some.piece)));
  }
  return {};
}

Result<void> ListJoiner::add_piece(BuiltList piece) {
  open_.term = std::move(piece.term);
  open_.document_frequency += piece.document_frequency;
  open_.occurrences += piece.occurrences;
  std::move(piece.segments.begin(), piece.segments.end(), std::back_inserter(open_.segments));
  if (!piece.last) return {};
  const BuiltList list = std::exchange(open_, {});
  return writer_.add_list(list.term, list.document_frequency, list.occurrences, list.segments);
}

}  // namespace frond::indexer::publish
