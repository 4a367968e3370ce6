#include "indexer/publish/list_stream.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "common/postings/list_builder.h"
#include "common/postings/posting_list.h"

namespace frond::indexer::publish {

Result<PostingMerger> PostingMerger::open(const ListSource& source) {
  const auto reduced = FROND_TRY(runs::reduce_runs(source.runs, source.partition, source.scratch));
  const bool fits = reduced.size() * runs::RunCursor::kAheadBytes <= source.ahead_bytes;
  auto merged = FROND_TRY(runs::RunMerger::open(reduced, source.partition, fits ? source.ahead : nullptr));
  runs::remove_merged(reduced, source.runs);
  return PostingMerger(std::move(merged));
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
  if (first && !FROND_TRY(runs_.next_term())) return false;
  const std::size_t begin = group.docids.size(), end = begin + postings::kSegmentPostings;
  group.docids.insert(group.docids.end(), docids_.begin(), docids_.end());
  group.frequencies.insert(group.frequencies.end(), frequencies_.begin(), frequencies_.end());
  // One posting more than a segment tells that the list goes on.
  while (group.docids.size() <= end && FROND_TRY(runs_.read(group.docids, group.frequencies, end + 1))) {
  }
  in_term_ = group.docids.size() > end;
  const std::size_t taken = std::min(group.docids.size(), end);
  docids_.assign(group.docids.begin() + static_cast<std::ptrdiff_t>(taken), group.docids.end());
  frequencies_.assign(group.frequencies.begin() + static_cast<std::ptrdiff_t>(taken), group.frequencies.end());
  group.docids.resize(taken);
  group.frequencies.resize(taken);
  group.pieces.push_back({std::string(runs_.term()), taken, first, !in_term_});
  group.bytes +=
      (taken - begin) * (sizeof(DocId) + sizeof(Frequency)) + sizeof(PostingGroup::Piece) + runs_.term().size();
  return true;
}

Result<std::vector<BuiltLists>> build_lists(const ListSource& source, const PostingGroup& group) {
  const postings::ListBuilder builder(source.codecs, source.lengths, source.b, source.average_length, source.deficits);
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
      const std::size_t size = blob.size();
      blob.resize(size + codec::kReadSlack);
      FROND_TRY(lists.back().whole.add(piece.term, docids.size(), occurrences, ByteView(blob).first(size)));
      continue;
    }
    lists.back().piece = {piece.term, docids.size(), occurrences, builder.build(docids, frequencies), piece.last};
    lists.emplace_back();
  }
  return lists;
}

void add_digests(const PostingGroup& group, partition::TermDigests& digests) {
  std::size_t begin = 0;
  for (const PostingGroup::Piece& piece : group.pieces) {
    const auto docids = std::span(group.docids).subspan(begin, piece.end - begin);
    if (docids.back() < digests.documents())
      digests.add(piece.term, docids, std::span(group.frequencies).subspan(begin, docids.size()));
    begin = piece.end;
  }
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
