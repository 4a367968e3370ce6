#include "leaf/cpu/intersect_block.h"

#include "leaf/cpu/kernels.h"

namespace frond::leaf::cpu {

void Candidates::start(const DocId* block, std::uint32_t size) {
  count = size;
  for (std::uint32_t i = 0; i < size; ++i) {
    docids[i] = block[i];
    places[i] = i;
  }
}

std::uint32_t Candidates::end_of(std::uint32_t from, DocId last) const {
  if (docids[count - 1] <= last) return count;
  return static_cast<std::uint32_t>(std::upper_bound(docids.begin() + from, docids.begin() + count, last) -
                                    docids.begin());
}

std::uint32_t Candidates::keep_reaching(std::uint32_t from, std::uint32_t to, const Score* scores,
                                        std::uint64_t least) {
  std::uint32_t kept = from;
  for (std::uint32_t i = from; i < to; ++i) {
    const std::uint32_t place = places[i];
    docids[kept] = docids[i];
    places[kept] = place;
    kept += scores[place] >= least;
  }
  return kept;
}

std::uint32_t BlockTable::intersect(Candidates& candidates, std::uint32_t from, std::uint32_t to,
                                    const TermReader& reader, std::uint32_t kept,
                                    std::array<std::uint32_t, kBlockLength>& postings) {
  // None of the three ways has a branch on whether a document matches: that is what can't be predicted.
  constexpr std::uint32_t kFew = 16;  // from here on a table, or a merge, is cheaper than searches
  const std::uint32_t block = reader.block() * kBlockLength;
  const DocId* docids = reader.docids();
  const auto keep = [&](std::uint32_t i, std::uint32_t position, bool match) {
    const std::uint32_t place = candidates.places[i];
    candidates.docids[kept] = candidates.docids[i];
    candidates.places[kept] = place;
    postings[place] = block + position;
    kept += match;
  };
  if (to - from < kFew) {
    std::uint32_t positions[kFew];
    positions_in_block(docids, candidates.docids.data() + from, to - from, positions);
    for (std::uint32_t i = from; i < to; ++i) {
      const std::uint32_t position = positions[i - from];  // there is one: no candidate is above the block's last
      keep(i, position, docids[position] == candidates.docids[i]);
    }
    return kept;
  }
  const DocId first = candidates.docids[from], last = candidates.docids[to - 1];
  std::uint32_t position = reader.position_of(first);
  if (last - first < kSpan) {
    // There is a docID >= last in the block: nothing is read behind it.
    const std::uint32_t start = position, at_last = reader.position_of(last);
    const std::uint32_t end = at_last + (docids[at_last] == last);
    for (std::uint32_t p = start; p < end; ++p) position_plus_1_[docids[p] - first] = static_cast<std::uint8_t>(p + 1);
    for (std::uint32_t i = from; i < to; ++i) {
      const std::uint8_t found = position_plus_1_[candidates.docids[i] - first];
      keep(i, found - 1u, found != 0);
    }
    for (std::uint32_t p = start; p < end; ++p) position_plus_1_[docids[p] - first] = 0;
    return kept;
  }
  for (std::uint32_t i = from; i < to;) {
    const DocId docid = candidates.docids[i], other = docids[position];
    keep(i, position, docid == other);
    i += docid <= other;
    position += other < docid;
  }
  return kept;
}

}  // namespace frond::leaf::cpu
