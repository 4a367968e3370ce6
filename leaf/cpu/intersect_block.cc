#include "leaf/cpu/intersect_block.h"

namespace frond::leaf::cpu {
namespace {

constexpr auto kPlaces = [] {
  std::array<std::uint32_t, kBlockLength + kSelectSlack> places{};
  for (std::uint32_t i = 0; i < places.size(); ++i) places[i] = i;
  return places;
}();

}  // namespace

std::uint32_t Candidates::end_of(std::uint32_t from, DocId last) const {
  if (docids[count - 1] <= last) return count;
  for (;; from += kVectorSlack) {
    std::uint32_t inside = 0;
    for (std::uint32_t i = 0; i < kVectorSlack; ++i) inside += docids[from + i] <= last;
    if (inside < kVectorSlack) return from + inside;
  }
}

Candidates CandidateBuffer::whole(const DocId* block, std::uint32_t size) { return {block, kPlaces.data(), size}; }

Candidates CandidateBuffer::view() {
  std::fill_n(docids_.begin() + count_, kVectorSlack, kNoDoc);
  return {docids_.data(), places_.data(), count_};
}

void CandidateBuffer::add_shown(const Candidates& these, const partition::HiddenDocuments& hidden) {
  for (std::uint32_t i = 0; i < these.count; ++i) {
    docids_[count_] = these.docids[i];
    places_[count_] = these.places[i];
    count_ += hidden.contains(these.docids[i]) ? 0 : 1;
  }
}

void CandidateBuffer::add_reaching(const Candidates& these, const Score* scores, std::uint64_t least) {
  for (std::uint32_t i = 0; i < these.count; ++i) {
    docids_[count_] = these.docids[i];
    places_[count_] = these.places[i];
    count_ += scores[these.places[i]] >= least;
  }
}

std::uint32_t BlockTable::find(const Candidates& candidates, const TermReader& reader, CandidateBuffer& kept) {
  constexpr std::uint32_t kFew = 48;  // from this many candidates on, the table is faster
  const DocId* block = reader.docids();
  const auto [docids, places, size] = candidates;
  const DocId first = docids[0], last = docids[size - 1];
  DocId* kept_docids = kept.docids_.data() + kept.count_;
  std::uint32_t* kept_places = kept.places_.data() + kept.count_;
  std::uint32_t* positions = kept.postings_.data();
  if (size < kFew || last - first >= kSpan) {
    positions_in_block(block, docids, size, positions);
  } else {
    // The block has a docID >= last, so at_last is a valid position.
    const std::uint32_t start = reader.position_of(first), at_last = reader.position_of(last);
    const std::uint32_t end = at_last + (block[at_last] == last);
    for (std::uint32_t p = start; p < end; ++p) positions_[block[p] - first] = static_cast<std::uint8_t>(p);
    for (std::uint32_t i = 0; i < size; ++i) positions[i] = positions_[docids[i] - first];
  }
  std::uint32_t count = 0;
  // No branch on whether a document matches: it can't be predicted.
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t position = positions[i];  // in the block, since no candidate is above its last docID
    kept_docids[count] = docids[i];
    kept_places[count] = places[i];
    positions[count] = position;
    count += block[position] == docids[i];
  }
  return count;
}

void BlockTable::intersect(const Candidates& candidates, const TermReader& reader, CandidateBuffer& kept,
                           std::array<std::uint32_t, kBlockLength>& postings) {
  const std::uint32_t count = find(candidates, reader, kept);
  const std::uint32_t base = reader.block() * kBlockLength;
  const std::uint32_t* const kept_places = kept.places_.data() + kept.count_;
  for (std::uint32_t i = 0; i < count; ++i) postings[kept_places[i]] = base + kept.postings_[i];
  kept.count_ += count;
}

}  // namespace frond::leaf::cpu
