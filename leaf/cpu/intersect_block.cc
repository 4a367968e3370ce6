#include "leaf/cpu/intersect_block.h"

// Highway includes this file once for each instruction set and compiles the part between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE for it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "leaf/cpu/intersect_block.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::leaf::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U32 = hn::ScalableTag<std::uint32_t>;
using I32 = hn::ScalableTag<std::int32_t>;

// Keeps the candidates whose table entries have the stamp, with places and positions; returns their number. Candidates
// are in [first, first + span of the table).
std::uint32_t keep_tabled_target(const std::uint32_t* entries, std::uint32_t stamp, DocId first, const DocId* docids,
                                 const std::uint32_t* places, std::uint32_t count, DocId* kept_docids,
                                 std::uint32_t* kept_places, std::uint32_t* kept_positions) {
  const U32 u32;
  const I32 i32;
  const std::size_t lanes = hn::Lanes(u32);
  const auto low = hn::Set(u32, first), stamps = hn::Set(u32, stamp);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count; i += static_cast<std::uint32_t>(lanes)) {
    const auto docid = hn::LoadU(u32, docids + i);
    // Lanes past the last candidate read entry 0 and never match.
    const auto valid = hn::Lt(hn::Iota(u32, i), hn::Set(u32, count));
    const auto at = hn::IfThenElseZero(valid, hn::Sub(docid, low));
    const auto entry = hn::GatherIndex(u32, entries, hn::BitCast(i32, at));
    const auto match = hn::And(hn::Eq(hn::ShiftRight<7>(entry), stamps), valid);
    // Compress in a register, then store it whole: a compressing store is slow on some processors.
    hn::StoreU(hn::Compress(docid, match), u32, kept_docids + kept);
    hn::StoreU(hn::Compress(hn::LoadU(u32, places + i), match), u32, kept_places + kept);
    hn::StoreU(hn::Compress(hn::And(entry, hn::Set(u32, 127)), match), u32, kept_positions + kept);
    kept += static_cast<std::uint32_t>(hn::CountTrue(u32, match));
  }
  return kept;
}

}  // namespace frond::leaf::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::leaf::cpu {
namespace {

constexpr auto kPlaces = [] {
  std::array<std::uint32_t, kBlockLength + kSelectSlack> places{};
  for (std::uint32_t i = 0; i < places.size(); ++i) places[i] = i;
  return places;
}();

}  // namespace

HWY_EXPORT(keep_tabled_target);

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
  constexpr std::uint32_t kFew = 20;  // from this many candidates on, the table is faster
  const DocId* block = reader.docids();
  const auto [docids, places, size] = candidates;
  const DocId first = docids[0], last = docids[size - 1];
  DocId* kept_docids = kept.docids_.data() + kept.count_;
  std::uint32_t* kept_places = kept.places_.data() + kept.count_;
  std::uint32_t* positions = kept.postings_.data();
  std::uint32_t count = 0;
  if (size < kFew || last - first >= kSpan) {
    positions_in_block(block, docids, size, positions);
    // No branch on whether a document matches: it can't be predicted.
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t position = positions[i];  // in the block, since no candidate is above its last docID
      kept_docids[count] = docids[i];
      kept_places[count] = places[i];
      positions[count] = position;
      count += block[position] == docids[i];
    }
  } else {
    if (stamp_ == kStamps) {
      entries_.fill(0);
      stamp_ = 1;
    }
    // The block has a docID >= last, so at_last is a valid position.
    const std::uint32_t start = reader.position_of(first), at_last = reader.position_of(last);
    const std::uint32_t end = at_last + (block[at_last] == last);
    for (std::uint32_t p = start; p < end; ++p) entries_[block[p] - first] = stamp_ * kBlockLength + p;
    count = HWY_DYNAMIC_DISPATCH(keep_tabled_target)(entries_.data(), stamp_, first, docids, places, size, kept_docids,
                                                     kept_places, positions);
    ++stamp_;
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
#endif
