#include "leaf/cpu/kernels.h"

#include <algorithm>
#include <array>
#include <cstring>

// Highway includes this file once for each instruction set and compiles the part between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE for it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "leaf/cpu/kernels.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::leaf::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U32 = hn::ScalableTag<std::uint32_t>;
using I32 = hn::ScalableTag<std::int32_t>;
using F32 = hn::ScalableTag<float>;

void score_postings_target(const DocId* docids, const Frequency* frequencies, std::size_t count,
                           const std::uint32_t* lengths, float weight, scoring::LengthNorm norm,
                           scoring::Score* scores) {
  const U32 u32;
  const I32 i32;
  const F32 f32;
  const std::size_t lanes = hn::Lanes(u32);
  const auto constant = hn::Set(f32, norm.constant), slope = hn::Set(f32, norm.slope), w = hn::Set(f32, weight);
  std::size_t i = 0;
  if (scoring::is_of_impacts(norm)) {
    const auto unit = static_cast<scoring::Score>(weight * 0x1p-32f);
    for (; i + lanes <= count; i += lanes)
      hn::StoreU(hn::Mul(hn::LoadU(u32, frequencies + i), hn::Set(u32, unit)), u32, scores + i);
    for (; i < count; ++i) scores[i] = frequencies[i] * unit;
    return;
  }
  // Vectors convert signed integers only. Frequencies, lengths and weights of 2^31 or more take the scalar loop.
  if (weight < 0x1p31f) {
    alignas(64) std::array<std::int32_t, codec::kBlockLength> of;  // lengths: a vector's loads by index are slow
    for (; i + lanes <= count; i += lanes) {
      if (i % of.size() == 0)
        for (std::size_t j = 0; j < std::min(of.size(), count - i); ++j)
          of[j] = static_cast<std::int32_t>(lengths[docids[i + j]]);
      const auto tf = hn::BitCast(i32, hn::LoadU(u32, frequencies + i));
      const auto length = hn::Load(i32, of.data() + i % of.size());
      if (!hn::AllTrue(i32, hn::Gt(hn::Or(tf, length), hn::Set(i32, -1)))) break;
      const auto t = hn::ConvertTo(f32, tf);
      const auto n = hn::Add(constant, hn::Mul(slope, hn::ConvertTo(f32, length)));
      const auto score = hn::Mul(w, hn::Div(t, hn::Add(t, n)));
      hn::StoreU(hn::BitCast(u32, hn::ConvertTo(i32, score)), u32, scores + i);
    }
  }
  for (; i < count; ++i) scores[i] = scoring::contribution(weight, frequencies[i], lengths[docids[i]], norm);
}

std::size_t select_target(const DocId* docids, const scoring::Score* scores, std::size_t count, scoring::Score least,
                          Selection out) {
  const U32 u32;
  const std::size_t lanes = hn::Lanes(u32);
  const auto at_least = hn::Set(u32, least);
  std::size_t kept = 0, i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto score = hn::LoadU(u32, scores + i);
    const auto keep = hn::Eq(hn::Max(score, at_least), score);
    if (hn::AllFalse(u32, keep)) continue;
    // Compress in a register, then store it whole: a compressing store is slow on some processors.
    hn::StoreU(hn::Compress(score, keep), u32, out.scores + kept);
    hn::StoreU(hn::Compress(hn::LoadU(u32, docids + i), keep), u32, out.docids + kept);
    kept += hn::CountTrue(u32, keep);
  }
  for (; i < count; ++i) {
    out.docids[kept] = docids[i];
    out.scores[kept] = scores[i];
    kept += scores[i] >= least;
  }
  return kept;
}

void positions_in_block_target(const DocId* block, const DocId* targets, std::size_t count, std::uint32_t* positions) {
  constexpr std::size_t kPart = 16, kParts = codec::kBlockLength / kPart;
  const hn::CappedTag<std::uint32_t, kParts> parts;
  const hn::CappedTag<std::uint32_t, kPart> part;
  const std::size_t lanes = hn::Lanes(parts);
  alignas(64) DocId lasts[kParts];  // of the parts; one vector if it has enough lanes
  for (std::size_t i = 0; i < kParts; ++i) lasts[i] = block[i * kPart + kPart - 1];
  const auto first_lasts = hn::Load(parts, lasts);
  for (std::size_t t = 0; t < count; ++t) {
    const auto target = hn::Set(parts, targets[t]);
    std::size_t below = hn::CountTrue(parts, hn::Lt(first_lasts, target));
    for (std::size_t v = lanes; v < kParts; v += lanes)
      below += hn::CountTrue(parts, hn::Lt(hn::Load(parts, lasts + v), target));
    std::size_t position = std::min(below, kParts - 1) * kPart;
    const DocId* in_part = block + position;
    const auto wanted = hn::Set(part, targets[t]);
    for (std::size_t i = 0; i < kPart; i += hn::Lanes(part))
      position += hn::CountTrue(part, hn::Lt(hn::LoadU(part, in_part + i), wanted));
    positions[t] = static_cast<std::uint32_t>(position);
  }
}

template <class V>
auto equal_to_any(V these, V of_block) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Eq(these, of_block);
#else
  return hn::Or(hn::Or(hn::Eq(these, of_block), hn::Eq(these, hn::Shuffle0321(of_block))),
                hn::Or(hn::Eq(these, hn::Shuffle1032(of_block)), hn::Eq(these, hn::Shuffle2103(of_block))));
#endif
}

void find_in_block_target(const DocId* block, const DocId* docids, std::size_t count, std::uint64_t* found) {
  const hn::CappedTag<std::uint32_t, 8> d;
  const std::size_t lanes = hn::Lanes(d);  // 1, 4 or 8
  found[0] = found[1] = 0;
  std::size_t in_block = 0;
  for (std::size_t i = 15; i < codec::kBlockLength - 16; i += 16) in_block += block[i] < docids[0];
  in_block *= 16;
  // Each vector of one with each of the other that it may overlap. No branch on which of them ends first: it can't be
  // predicted.
  for (std::size_t i = 0; i < count && in_block < codec::kBlockLength;) {
    const auto these = hn::LoadU(d, docids + i), others = hn::LoadU(d, block + in_block);
    auto equal = equal_to_any(these, others);
    if (lanes == 8) equal = hn::Or(equal, equal_to_any(these, hn::SwapAdjacentBlocks(others)));
    std::uint8_t bits = 0;
    hn::StoreMaskBits(d, equal, &bits);
    found[i / 64] |= std::uint64_t{bits} << i % 64;
    const DocId last = docids[i + lanes - 1], last_of_block = block[in_block + lanes - 1];
    i += lanes * (last <= last_of_block ? 1 : 0);
    in_block += lanes * (last_of_block <= last ? 1 : 0);
  }
  for (std::size_t half = count / 64; half < 2; ++half)
    found[half] &= count < half * 64 ? 0 : (std::uint64_t{1} << (count - half * 64)) - 1;
}

std::size_t find_in_lows(const lists::BucketIndex& index, std::span<const DocId> docids, std::uint32_t* found,
                         std::uint32_t* postings) {
  const hn::CappedTag<std::uint8_t, 32> d;
  const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
  const std::uint32_t* const begins = index.begins();
  const std::uint8_t* const lows = index.lows();
  // Which of postings at .. at + size have the low bits; those of the first lanes.
  const auto equal = [&](std::uint32_t at, std::uint32_t size, DocId docid) HWY_ATTR {
    std::uint64_t bits = 0;
    const auto low = hn::Set(d, static_cast<std::uint8_t>(docid));
    hn::StoreMaskBits(d, hn::Eq(hn::LoadU(d, lows + at), low), reinterpret_cast<std::uint8_t*>(&bits));
    return bits & ((std::uint64_t{1} << std::min(size, lanes)) - 1);
  };
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < docids.size(); ++i) {
    const DocId docid = docids[i];
    const std::uint32_t bucket = docid >> lists::BucketIndex::kShift;
    std::uint32_t at = begins[bucket], size = begins[bucket + 1] - at;
    std::uint64_t bits = equal(at, size, docid);
    while (size > lanes && bits == 0) {
      at += lanes;
      size -= lanes;
      bits = equal(at, size, docid);
    }
    // No branch on whether it is there: that can't be predicted.
    found[kept] = i;
    postings[kept] = at + static_cast<std::uint32_t>(__builtin_ctzll(bits | std::uint64_t{1} << 63));
    kept += bits != 0 ? 1 : 0;
  }
  return kept;
}

std::size_t find_in_bits(const lists::BucketIndex& index, std::span<const DocId> docids, std::uint32_t* found,
                         std::uint32_t* postings) {
  const std::uint32_t* const begins = index.begins();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const std::uint32_t bucket = docids[i] >> lists::BucketIndex::kDenseShift;
    const std::uint64_t bit = std::uint64_t{1} << docids[i] % 64, bits = index.bits()[bucket];
    found[kept] = static_cast<std::uint32_t>(i);
    postings[kept] = begins[bucket] + static_cast<std::uint32_t>(__builtin_popcountll(bits & (bit - 1)));
    kept += (bits & bit) != 0 ? 1 : 0;
  }
  return kept;
}

std::size_t find_in_buckets_target(const lists::BucketIndex& index, std::span<const DocId> docids, std::uint32_t* found,
                                   std::uint32_t* postings) {
  while (!docids.empty() && docids.back() > index.last()) docids = docids.first(docids.size() - 1);
  return (index.bits() != nullptr ? find_in_bits : find_in_lows)(index, docids, found, postings);
}

std::size_t find_shown_target(const DocId* docids, std::size_t from, std::size_t to,
                              std::span<const std::uint64_t> hidden, std::uint64_t* found) {
  const U32 u32;
  const I32 i32;
  const std::size_t lanes = hn::Lanes(u32);
  static_assert(codec::kBlockLength == 128);
  found[0] = found[1] = 0;
  if (from >= to) return 0;
  const DocId last = docids[to - 1];
  const auto* const words = reinterpret_cast<const std::uint32_t*>(hidden.data());  // little-endian
  const std::size_t begin = from / lanes * lanes;
  const auto one = hn::Set(u32, 1), low = hn::Set(u32, 31), most = hn::Set(u32, last);
  const auto look = [&](const auto& words_of) HWY_ATTR {
    for (std::size_t i = begin; i < to; i += lanes) {
      const auto docid = hn::Min(hn::LoadU(u32, docids + i), most);
      const auto shown = hn::AndNot(words_of(hn::ShiftRight<5>(docid)), hn::Shl(one, hn::And(docid, low)));
      std::uint64_t bits = 0;
      hn::StoreMaskBits(u32, hn::Ne(shown, hn::Zero(u32)), reinterpret_cast<std::uint8_t*>(&bits));
      found[i / 64] |= bits << i % 64;
    }
  };
  // The words of postings close together are held in registers.
  const std::size_t first = docids[begin] / 32, end = std::size_t{last} / 32 + 1;
  if (end - first <= lanes && end >= lanes) {
    const auto table = hn::LoadU(u32, words + (end - lanes));
    const auto base = hn::Set(u32, static_cast<std::uint32_t>(end - lanes));
    look([&](auto at) HWY_ATTR { return hn::TableLookupLanes(table, hn::IndicesFromVec(u32, hn::Sub(at, base))); });
  } else {
    look([&](auto at) HWY_ATTR { return hn::GatherIndex(u32, words, hn::BitCast(i32, at)); });
  }
  for (std::size_t half = 0; half < 2; ++half) {
    if (from > half * 64) found[half] &= from >= half * 64 + 64 ? 0 : ~std::uint64_t{0} << from % 64;
    if (to < half * 64 + 64) found[half] &= to <= half * 64 ? 0 : ~(~std::uint64_t{0} << to % 64);
  }
  return hwy::PopCount(found[0]) + hwy::PopCount(found[1]);
}

template <class Code>
std::size_t count_places_of(const std::byte* sequence, std::size_t places, std::span<const CodeAt> codes) {
  const hn::ScalableTag<Code> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto all = hn::FirstN(d, lanes);
  const auto count = [&](std::size_t place, auto mask) HWY_ATTR {
    for (const CodeAt& one : codes) {
      const auto here = hn::LoadU(d, reinterpret_cast<const Code*>(sequence + (place + one.number) * sizeof(Code)));
      mask = hn::And(mask, hn::Eq(here, hn::Set(d, static_cast<Code>(one.code))));
      // One word alone is often there: that can't be predicted.
      if (&one != codes.data() && hn::AllFalse(d, mask)) return std::size_t{0};
    }
    return hn::CountTrue(d, mask);
  };
  std::size_t found = 0, place = 0;
  for (; place + lanes <= places; place += lanes) found += count(place, all);
  const std::size_t rest = places - place;
  if (rest == 0) return found;
  // Of the last vector the first places are counted already.
  if (places >= lanes) return found + count(places - lanes, hn::Not(hn::FirstN(d, lanes - rest)));
  auto mask = all;
  for (const CodeAt& one : codes) {
    alignas(64) std::array<Code, 64 / sizeof(Code)> some{};  // no code is 0
    std::memcpy(some.data(), sequence + one.number * sizeof(Code), rest * sizeof(Code));
    mask = hn::And(mask, hn::Eq(hn::Load(d, some.data()), hn::Set(d, static_cast<Code>(one.code))));
  }
  return hn::CountTrue(d, mask);
}
std::size_t count_places_target(const std::byte* sequence, std::uint32_t width, std::size_t places,
                                std::span<const CodeAt> codes) {
  if (width == 1) return count_places_of<std::uint8_t>(sequence, places, codes);
  if (width == 2) return count_places_of<std::uint16_t>(sequence, places, codes);
  return count_places_of<std::uint32_t>(sequence, places, codes);
}

std::size_t drain_target(scoring::Score* sums, std::uint64_t groups, DocId first, scoring::Score least, Selection out) {
  const U32 u32;
  const std::size_t lanes = hn::Lanes(u32);
  const auto at_least = hn::Set(u32, least);
  std::size_t kept = 0;
  for (; groups; groups &= groups - 1) {
    const std::size_t start = static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero64(groups)) * kGroup;
    for (std::size_t i = start; i < start + kGroup; i += lanes) {
      const auto sum = hn::LoadU(u32, sums + i);
      hn::StoreU(hn::Zero(u32), u32, sums + i);
      const auto keep = hn::Eq(hn::Max(sum, at_least), sum);
      if (hn::AllFalse(u32, keep)) continue;
      hn::StoreU(hn::Compress(sum, keep), u32, out.scores + kept);
      hn::StoreU(hn::Compress(hn::Iota(u32, static_cast<std::uint32_t>(first + i)), keep), u32, out.docids + kept);
      kept += hn::CountTrue(u32, keep);
    }
  }
  return kept;
}

std::size_t count_bits_target(const std::uint64_t* words, std::size_t count) {
  const hn::ScalableTag<std::uint64_t> u64;
  const std::size_t lanes = hn::Lanes(u64);
  auto sums = hn::Zero(u64);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) sums = hn::Add(sums, hn::PopulationCount(hn::LoadU(u64, words + i)));
  auto sum = static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(u64, sums)));
  for (; i < count; ++i) sum += hwy::PopCount(words[i]);
  return sum;
}

void move_marks_target(std::uint8_t* marks, std::size_t count, std::uint64_t* words) {
  const hn::CappedTag<std::uint8_t, 64> u8;
  const std::size_t lanes = hn::Lanes(u8);
  for (std::size_t word = 0; word < count; ++word) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 64; i += lanes) {
      std::uint8_t* const from = marks + word * 64 + i;
      std::uint64_t some = 0;
      hn::StoreMaskBits(u8, hn::Ne(hn::Load(u8, from), hn::Zero(u8)), reinterpret_cast<std::uint8_t*>(&some));
      hn::Store(hn::Zero(u8), u8, from);
      bits |= some << i;
    }
    words[word] |= bits;
  }
}

}  // namespace frond::leaf::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::leaf::cpu {

HWY_EXPORT(score_postings_target);
HWY_EXPORT(select_target);
HWY_EXPORT(positions_in_block_target);
HWY_EXPORT(find_in_block_target);
HWY_EXPORT(find_in_buckets_target);
HWY_EXPORT(find_shown_target);
HWY_EXPORT(count_places_target);
HWY_EXPORT(drain_target);
HWY_EXPORT(count_bits_target);
HWY_EXPORT(move_marks_target);

void score_postings(const DocId* docids, const Frequency* frequencies, std::size_t count, const std::uint32_t* lengths,
                    float weight, scoring::LengthNorm norm, scoring::Score* scores) {
  HWY_DYNAMIC_DISPATCH(score_postings_target)(docids, frequencies, count, lengths, weight, norm, scores);
}

std::size_t select(const DocId* docids, const scoring::Score* scores, std::size_t count, scoring::Score least,
                   Selection out) {
  return HWY_DYNAMIC_DISPATCH(select_target)(docids, scores, count, least, out);
}

void positions_in_block(const DocId* block, const DocId* targets, std::size_t count, std::uint32_t* positions) {
  HWY_DYNAMIC_DISPATCH(positions_in_block_target)(block, targets, count, positions);
}

void find_in_block(const DocId* block, const DocId* docids, std::size_t count, std::uint64_t* found) {
  HWY_DYNAMIC_DISPATCH(find_in_block_target)(block, docids, count, found);
}

std::size_t find_in_buckets(const lists::BucketIndex& index, std::span<const DocId> docids, std::uint32_t* found,
                            std::uint32_t* postings) {
  return HWY_DYNAMIC_DISPATCH(find_in_buckets_target)(index, docids, found, postings);
}

std::size_t find_shown(const DocId* docids, std::size_t from, std::size_t to, std::span<const std::uint64_t> hidden,
                       std::uint64_t* found) {
  return HWY_DYNAMIC_DISPATCH(find_shown_target)(docids, from, to, hidden, found);
}

std::uint32_t count_places(const std::byte* sequence, std::uint32_t width, std::size_t places,
                           std::span<const CodeAt> codes) {
  return static_cast<std::uint32_t>(HWY_DYNAMIC_DISPATCH(count_places_target)(sequence, width, places, codes));
}

std::size_t drain(scoring::Score* sums, std::uint64_t groups, DocId first, scoring::Score least, Selection out) {
  return HWY_DYNAMIC_DISPATCH(drain_target)(sums, groups, first, least, out);
}

std::size_t count_bits(const std::uint64_t* words, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(count_bits_target)(words, count);
}

void move_marks(std::uint8_t* marks, std::size_t count, std::uint64_t* words) {
  HWY_DYNAMIC_DISPATCH(move_marks_target)(marks, count, words);
}

}  // namespace frond::leaf::cpu
#endif
