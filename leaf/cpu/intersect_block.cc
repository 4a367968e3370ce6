#include "leaf/cpu/intersect_block.h"

#include <bit>

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

void intersect(const Candidates& candidates, const TermReader& reader, CandidateBuffer& kept,
               std::array<std::uint32_t, kBlockLength>* postings) {
  constexpr std::uint32_t kFew = 24;  // from this many candidates on, comparing them all is faster
  const DocId* const block = reader.docids();
  const auto [docids, places, size] = candidates;
  DocId* const kept_docids = kept.docids_.data() + kept.count_;
  std::uint32_t* const kept_places = kept.places_.data() + kept.count_;
  std::array<std::uint32_t, kBlockLength> positions;
  std::uint32_t count = 0;
  if (size < kFew) {
    positions_in_block(block, docids, size, positions.data());
    // No branch on whether a document matches: it can't be predicted.
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t position = positions[i];  // in the block, since no candidate is above its last docID
      kept_docids[count] = docids[i];
      kept_places[count] = places[i];
      positions[count] = position;
      count += block[position] == docids[i];
    }
  } else {
    std::array<std::uint64_t, kBlockLength / 64> found;
    find_in_block(block, docids, size, found.data());
    for (std::uint32_t half = 0; half < found.size(); ++half)
      for (std::uint64_t bits = found[half]; bits != 0; bits &= bits - 1) {
        const std::uint32_t i = half * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        kept_docids[count] = docids[i];
        kept_places[count++] = places[i];
      }
    if (postings != nullptr) positions_in_block(block, kept_docids, count, positions.data());
  }
  kept.count_ += count;
  if (postings == nullptr) return;
  const std::uint32_t base = reader.block() * kBlockLength;
  for (std::uint32_t i = 0; i < count; ++i) (*postings)[kept_places[i]] = base + positions[i];
}

const lists::BucketIndex* index_for(const Candidates& candidates, const TermReader& reader) {
  const lists::BucketIndex* const index = reader.index();
  if (index == nullptr || candidates.count == 0) return index;
  const DocId first = candidates.docids[0], last = std::min(candidates.docids[candidates.count - 1], index->last());
  if (first > last) return index;
  const std::uint32_t worth = index->bits() != nullptr ? 1 : 2;  // postings decoded and compared in a look-up's time
  return candidates.count * worth < index->postings_in(first, last) ? index : nullptr;
}

bool intersect(const Candidates& candidates, const lists::BucketIndex& index, CandidateBuffer& kept,
               std::array<std::uint32_t, kBlockLength>* postings) {
  std::array<std::uint32_t, kBlockLength + 1> found, numbers;
  const std::size_t count =
      find_in_buckets(index, std::span(candidates.docids, candidates.count), found.data(), numbers.data());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t place = candidates.places[found[i]];
    kept.add(candidates.docids[found[i]], place);
    if (postings != nullptr) (*postings)[place] = numbers[i];
  }
  return candidates.count == 0 || candidates.docids[candidates.count - 1] <= index.last();
}

}  // namespace frond::leaf::cpu
