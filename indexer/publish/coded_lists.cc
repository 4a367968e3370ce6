#include "indexer/publish/coded_lists.h"

#include <utility>

#include "common/codec/list_codec.h"

namespace frond::indexer::publish {
namespace {

struct Statistics {
  std::uint64_t document_frequency = 0, occurrences = 0;
};

Result<void> give_terms(const runs::PostingSlices& from, const runs::CodedSlice& slice, WrittenTerms& terms) {
  std::vector<Statistics> all(slice.end - slice.first);
  for (const runs::CodedLists& lists : slice.partitions)
    for (const runs::CodedLists::Piece& piece : lists.pieces) {
      Statistics& statistics = all[piece.term - slice.first];
      statistics.document_frequency += piece.count;
      statistics.occurrences += piece.occurrences;
    }
  for (std::size_t i = 0; i < all.size(); ++i)
    FROND_TRY(terms.put(from.term(slice.first + i), all[i].document_frequency, all[i].occurrences));
  return {};
}

}  // namespace

std::uint64_t coded_bytes(const runs::CodedLists& lists) {
  return lists.blobs.size() + lists.pieces.size() * sizeof(runs::CodedLists::Piece);
}

bool can_be_coded(const codec::CodecChoice& codecs) {
  const auto is_default = [](const codec::Candidates& candidates) {
    return candidates.size() == 1 && candidates[0]->name() == codec::kDefaultCodec;
  };
  return is_default(codecs.docids) && is_default(codecs.frequencies);
}

Result<std::vector<std::vector<std::uint64_t>>> give_coded_lists(runs::PostingSlices& from,
                                                                 const runs::ListCoding& coding,
                                                                 std::size_t slice_postings,
                                                                 const std::vector<std::unique_ptr<CodedGroups>>& to,
                                                                 WrittenTerms* terms, std::stop_token stop) {
  return from.code(coding, slice_postings, [&](runs::CodedSlice slice) -> Result<void> {
    if (terms != nullptr) FROND_TRY(give_terms(from, slice, *terms));
    for (std::size_t p = 0; p < to.size(); ++p) {
      runs::CodedLists& lists = slice.partitions[p];
      if (lists.pieces.empty()) continue;
      const std::uint64_t bytes = coded_bytes(lists);
      if (!to[p]->push(std::make_shared<const runs::CodedLists>(std::move(lists)), stop, bytes))
        return Error(Code::kUnavailable, "stopped");
    }
    return {};
  });
}

Result<std::vector<BuiltLists>> built_of(const runs::PostingSlices& from, const runs::CodedLists& group) {
  std::vector<BuiltLists> lists(1);
  bool first = true;  // piece of its list
  for (std::size_t i = 0; i < group.pieces.size(); ++i) {
    const runs::CodedLists::Piece& piece = group.pieces[i];
    const std::string_view term = from.term(piece.term);
    const ByteView blob = ByteView(group.blobs).subspan(piece.begin, piece.bytes);
    if (first && piece.last) {
      FROND_TRY(lists.back().whole.add(term, piece.count, piece.occurrences, blob));
      continue;
    }
    first = piece.last;
    BuiltList part{std::string(term), piece.count, piece.occurrences, {}, piece.last};
    part.segments.emplace_back(blob.begin(), blob.end());
    lists.back().piece = std::move(part);
    lists.emplace_back();
  }
  return lists;
}

}  // namespace frond::indexer::publish
