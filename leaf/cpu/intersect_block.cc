#include "leaf/cpu/intersect_block.h"

#include "leaf/cpu/kernels.h"

// Highway compiles what is between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once for each instruction set, by
// including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "leaf/cpu/intersect_block.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::leaf::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U32 = hn::ScalableTag<std::uint32_t>;
using I32 = hn::ScalableTag<std::int32_t>;

constexpr std::uint32_t kPart = 16;  // docIDs of a block between two that a search looks at first
constexpr std::uint32_t kParts = kBlockLength / kPart;

// Of `count` candidates, all at most the block's last docID, keeps those in the block and their positions there.
// Returns how many. Nothing here branches on whether a document matches: that is what can't be predicted.
std::uint32_t keep_searched_target(const DocId* block, const DocId* docids, const std::uint32_t* places,
                                   std::uint32_t count, DocId* kept_docids, std::uint32_t* kept_places,
                                   std::uint32_t* kept_positions) {
  const hn::CappedTag<std::uint32_t, kParts> parts;
  const hn::CappedTag<std::uint32_t, kPart> part;
  const std::size_t lanes = hn::Lanes(parts);
  alignas(64) DocId lasts[kParts];  // of the parts; one vector where that holds them all
  for (std::uint32_t i = 0; i < kParts; ++i) lasts[i] = block[i * kPart + kPart - 1];
  const auto first_lasts = hn::Load(parts, lasts);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto target = hn::Set(parts, docids[i]);
    std::size_t below = hn::CountTrue(parts, hn::Lt(first_lasts, target));
    for (std::size_t v = lanes; v < kParts; v += lanes)
      below += hn::CountTrue(parts, hn::Lt(hn::Load(parts, lasts + v), target));
    std::size_t position = below * kPart;
    const DocId* in_part = block + position;
    const auto wanted = hn::Set(part, docids[i]);
    for (std::size_t j = 0; j < kPart; j += hn::Lanes(part))
      position += hn::CountTrue(part, hn::Lt(hn::LoadU(part, in_part + j), wanted));
    kept_docids[kept] = docids[i];
    kept_places[kept] = places[i];
    kept_positions[kept] = static_cast<std::uint32_t>(position);
    kept += block[position] == docids[i];
  }
  return kept;
}

// The same for candidates all of which are less than the table's span above `first`.
std::uint32_t keep_tabled_target(const std::uint16_t* entries, std::uint32_t stamp, DocId first, const DocId* docids,
                                 const std::uint32_t* places, std::uint32_t count, DocId* kept_docids,
                                 std::uint32_t* kept_places, std::uint32_t* kept_positions) {
  const U32 u32;
  const I32 i32;
  const std::size_t lanes = hn::Lanes(u32);
  const auto low = hn::Set(u32, first), stamps = hn::Set(u32, stamp);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count; i += static_cast<std::uint32_t>(lanes)) {
    const auto docid = hn::LoadU(u32, docids + i);
    // Behind the last there are others: they look at the first entry, and don't count.
    const auto valid = hn::Lt(hn::Iota(u32, i), hn::Set(u32, count));
    const auto at = hn::IfThenElseZero(valid, hn::Sub(docid, low));
    const auto loaded =
        hn::GatherOffset(u32, reinterpret_cast<const std::uint32_t*>(entries), hn::BitCast(i32, hn::ShiftLeft<1>(at)));
    const auto entry = hn::And(loaded, hn::Set(u32, 0xffff));
    const auto match = hn::And(hn::Eq(hn::ShiftRight<7>(entry), stamps), valid);
    // Compressed in the register and stored whole: a compressing store is slow on some processors.
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

HWY_EXPORT(keep_searched_target);
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

void CandidateBuffer::add_reaching(const Candidates& these, const Score* scores, std::uint64_t least) {
  for (std::uint32_t i = 0; i < these.count; ++i) {
    docids_[count_] = these.docids[i];
    places_[count_] = these.places[i];
    count_ += scores[these.places[i]] >= least;
  }
}

void BlockTable::intersect(const Candidates& candidates, const TermReader& reader, CandidateBuffer& kept,
                           std::array<std::uint32_t, kBlockLength>& postings) {
  constexpr std::uint32_t kFew = 20;  // from here on a table is cheaper than searches
  const DocId* block = reader.docids();
  const auto [docids, places, size] = candidates;
  const DocId first = docids[0], last = docids[size - 1];
  const std::uint32_t before = kept.count_;
  DocId* kept_docids = kept.docids_.data() + before;
  std::uint32_t* kept_places = kept.places_.data() + before;
  std::uint32_t* positions = kept.postings_.data();
  std::uint32_t count = 0;
  if (size < kFew || last - first >= kSpan) {
    count =
        HWY_DYNAMIC_DISPATCH(keep_searched_target)(block, docids, places, size, kept_docids, kept_places, positions);
  } else {
    if (stamp_ == kStamps) {
      entries_.fill(0);
      stamp_ = 1;
    }
    // There is a docID >= last in the block: nothing is read behind it.
    const std::uint32_t start = reader.position_of(first), at_last = reader.position_of(last);
    const std::uint32_t end = at_last + (block[at_last] == last);
    for (std::uint32_t p = start; p < end; ++p)
      entries_[block[p] - first] = static_cast<std::uint16_t>(stamp_ * kBlockLength + p);
    count = HWY_DYNAMIC_DISPATCH(keep_tabled_target)(entries_.data(), stamp_, first, docids, places, size, kept_docids,
                                                     kept_places, positions);
    ++stamp_;
  }
  const std::uint32_t base = reader.block() * kBlockLength;
  for (std::uint32_t i = 0; i < count; ++i) postings[kept_places[i]] = base + positions[i];
  kept.count_ += count;
}

}  // namespace frond::leaf::cpu
#endif
