#include "indexer/publish/encoded_groups.h"

#include <algorithm>
#include <utility>

#include "common/codec/list_codec.h"

namespace frond::indexer::publish {
namespace {

struct Statistics {
  std::uint64_t document_frequency = 0, occurrences = 0;
};

Result<void> put_terms(const runs::PostingSlices& from, const runs::EncodedSlice& slice, TermsWriter& terms) {
  std::vector<Statistics> all(slice.end - slice.first);
  for (const runs::EncodedPiece& piece : slice.pieces) {
    all[piece.term].document_frequency += piece.count;
    all[piece.term].occurrences += piece.occurrences;
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    FROND_TRY(terms.put(from.term(slice.first + i), all[i].document_frequency, all[i].occurrences));
  return {};
}

// The pieces of each partition.
std::vector<std::span<const runs::EncodedPiece>> by_partition(const runs::EncodedSlice& slice, std::size_t partitions) {
  std::vector<std::span<const runs::EncodedPiece>> parts;
  std::span<const runs::EncodedPiece> rest = slice.pieces;
  for (std::size_t p = 0; p < partitions; ++p) {
    const auto behind = std::upper_bound(rest.begin(), rest.end(), p, [](std::size_t partition, const auto& piece) {
      return partition < piece.partition;
    });
    const auto count = static_cast<std::size_t>(behind - rest.begin());
    parts.push_back(rest.first(count));
    rest = rest.subspan(count);
  }
  return parts;
}

std::uint64_t bytes_of(std::span<const runs::EncodedPiece> pieces) {
  return pieces.back().begin + pieces.back().bytes - pieces.front().begin + pieces.size_bytes();
}

}  // namespace

bool can_be_encoded(const codec::CodecChoice& codecs) {
  const auto is_default = [](const codec::Candidates& candidates) {
    return candidates.size() == 1 && candidates[0]->name() == codec::kDefaultCodec;
  };
  return is_default(codecs.docids) && is_default(codecs.frequencies);
}

Result<std::vector<std::vector<std::uint64_t>>> distribute_encoded_lists(
    runs::PostingSlices& from, const runs::ListEncoding& coding, const runs::SliceLimits& limits,
    const std::vector<std::unique_ptr<EncodedGroups>>& to, TermsWriter* terms, std::stop_token stop) {
  constexpr std::uint64_t kSlicesAhead = 4;
  TaskPool one("terms", 1);  // a thread of its own: it waits for encoders and the disk. It keeps the terms in order
  OrderedTasks<bool> put(one, kSlicesAhead);
  const auto give = [&](const std::shared_ptr<const runs::EncodedSlice>& slice) -> Result<void> {
    const Error stopped(Code::kUnavailable, "stopped");
    while (put.full() || put.ready()) FROND_TRY(put.take());
    if (terms != nullptr)
      put.begin(1, [&from, slice, terms](std::size_t) -> Result<bool> {
        FROND_TRY(put_terms(from, *slice, *terms));
        return true;
      });
    const auto parts = by_partition(*slice, to.size());
    const std::uint64_t share = (slice->blobs.size() + slice->pieces.size_bytes()) / to.size();
    for (std::size_t p = 0; p < to.size(); ++p) {
      if (parts[p].empty()) continue;
      const std::uint64_t bytes = std::max(share, bytes_of(parts[p]));
      if (!to[p]->push({slice, parts[p], bytes}, stop, bytes)) return stopped;
    }
    return {};
  };
  auto digests = from.code(coding, limits, give);
  while (!put.empty()) FROND_TRY(put.take());
  return digests;
}

Result<std::vector<BuiltLists>> built_of(const runs::PostingSlices& from, const EncodedGroup& group) {
  std::vector<BuiltLists> lists(1);
  std::size_t bytes = 0;
  for (const runs::EncodedPiece& piece : group.pieces)
    bytes += piece.bytes + from.term(group.slice->first + piece.term).size();
  lists.back().whole.reserve(group.pieces.size(), bytes);
  bool first = true;  // piece of its list
  for (const runs::EncodedPiece& piece : group.pieces) {
    const std::string_view term = from.term(group.slice->first + piece.term);
    const ByteView blob = group.slice->blob(piece);
    const bool last = piece.last != 0;
    if (first && last) {
      FROND_TRY(lists.back().whole.add(term, piece.count, piece.occurrences, blob));
      continue;
    }
    first = last;
    BuiltList part{std::string(term), piece.count, piece.occurrences, {}, last};
    part.segments.emplace_back(blob.begin(), blob.end());
    lists.back().piece = std::move(part);
    lists.emplace_back();
  }
  return lists;
}

}  // namespace frond::indexer::publish
