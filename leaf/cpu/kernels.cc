#include "leaf/cpu/kernels.h"

// Highway compiles what is between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once for each instruction set, by
// including this file again.
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
  // Vectors convert signed integers: numbers of 2^31 and more, and products that large, take the scalar loop.
  if (weight < 0x1p31f) {
    for (; i + lanes <= count; i += lanes) {
      const auto tf = hn::BitCast(i32, hn::LoadU(u32, frequencies + i));
      const auto length = hn::GatherIndex(i32, reinterpret_cast<const std::int32_t*>(lengths),
                                          hn::BitCast(i32, hn::LoadU(u32, docids + i)));
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
    // Compressed in the register and stored whole: a compressing store is slow on some processors.
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

// How many docIDs of the block are below each target: binary searches in all lanes at once. The block's last is not
// below any, or the answer is one too small: 127 steps can't say 128.
HWY_INLINE hn::VFromD<I32> search_block(const DocId* block, hn::VFromD<U32> targets) {
  const U32 u32;
  const I32 i32;
  const auto* signed_block = reinterpret_cast<const std::int32_t*>(block);
  auto below = hn::Zero(i32);
  for (std::int32_t step = codec::kBlockLength / 2; step > 0; step /= 2) {
    const auto probe = hn::BitCast(u32, hn::GatherIndex(i32, signed_block, hn::Add(below, hn::Set(i32, step - 1))));
    below = hn::Add(below, hn::IfThenElseZero(hn::RebindMask(i32, hn::Lt(probe, targets)), hn::Set(i32, step)));
  }
  return below;
}

std::uint32_t position_in_block_target(const DocId* block, DocId document) {
  const U32 u32;
  const std::size_t lanes = hn::Lanes(u32);
  const auto target = hn::Set(u32, document);
  auto below = hn::Zero(u32);  // a lane counts down for each docID of its column
  for (std::size_t i = 0; i < codec::kBlockLength; i += lanes)
    below = hn::Add(below, hn::VecFromMask(u32, hn::Lt(hn::LoadU(u32, block + i), target)));
  return 0u - hn::GetLane(hn::SumOfLanes(u32, below));
}

void positions_in_block_target(const DocId* block, const DocId* targets, std::size_t count, std::uint32_t* positions) {
  constexpr std::size_t kFew = 8;  // below: each is compared with the whole block
  const U32 u32;
  const std::size_t lanes = hn::Lanes(u32);
  if (count < kFew) {
    for (std::size_t t = 0; t < count; ++t) positions[t] = position_in_block_target(block, targets[t]);
    return;
  }
  for (std::size_t t = 0; t < count; t += lanes)
    hn::StoreU(hn::BitCast(u32, search_block(block, hn::LoadU(u32, targets + t))), u32, positions + t);
}

std::size_t keep_compared_target(const DocId* block, const DocId* in, std::size_t count, DocId* out) {
  const U32 u32;
  const std::size_t lanes = hn::Lanes(u32);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const DocId document = in[i];
    const auto target = hn::Set(u32, document);
    auto equal = hn::Eq(hn::LoadU(u32, block), target);
    for (std::size_t at = lanes; at < codec::kBlockLength; at += lanes)
      equal = hn::Or(equal, hn::Eq(hn::LoadU(u32, block + at), target));
    out[kept] = document;
    kept += !hn::AllFalse(u32, equal);
  }
  return kept;
}

std::size_t keep_searched_target(const DocId* block, const DocId* in, std::size_t count, DocId* out) {
  const U32 u32;
  const I32 i32;
  const std::size_t lanes = hn::Lanes(u32);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto targets = hn::LoadU(u32, in + i);
    const auto places = search_block(block, targets);
    const auto found = hn::BitCast(u32, hn::GatherIndex(i32, reinterpret_cast<const std::int32_t*>(block), places));
    const auto keep = hn::And(hn::Eq(found, targets), hn::FirstN(u32, count - i));
    hn::StoreU(hn::Compress(targets, keep), u32, out + kept);
    kept += hn::CountTrue(u32, keep);
  }
  return kept;
}

std::size_t keep_present_target(const std::uint8_t* present, DocId first, const DocId* in, std::size_t count,
                                DocId* out) {
  const U32 u32;
  const I32 i32;
  const std::size_t lanes = hn::Lanes(u32);
  const auto* table = reinterpret_cast<const std::int32_t*>(present);
  const auto before = hn::Set(u32, first), one_byte = hn::Set(u32, 0xff);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto inside = hn::FirstN(u32, count - i);
    const auto documents = hn::LoadU(u32, in + i);
    const auto offsets = hn::IfThenElseZero(inside, hn::Sub(documents, before));
    const auto bytes = hn::BitCast(u32, hn::GatherOffset(i32, table, hn::BitCast(i32, offsets)));
    const auto keep = hn::And(hn::Ne(hn::And(bytes, one_byte), hn::Zero(u32)), inside);
    hn::StoreU(hn::Compress(documents, keep), u32, out + kept);
    kept += hn::CountTrue(u32, keep);
  }
  return kept;
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

}  // namespace frond::leaf::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::leaf::cpu {

HWY_EXPORT(score_postings_target);
HWY_EXPORT(select_target);
HWY_EXPORT(positions_in_block_target);
HWY_EXPORT(keep_compared_target);
HWY_EXPORT(keep_searched_target);
HWY_EXPORT(keep_present_target);
HWY_EXPORT(drain_target);

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

std::size_t keep_compared(const DocId* block, const DocId* in, std::size_t count, DocId* out) {
  return HWY_DYNAMIC_DISPATCH(keep_compared_target)(block, in, count, out);
}

std::size_t keep_searched(const DocId* block, const DocId* in, std::size_t count, DocId* out) {
  return HWY_DYNAMIC_DISPATCH(keep_searched_target)(block, in, count, out);
}

std::size_t keep_present(const std::uint8_t* present, DocId first, const DocId* in, std::size_t count, DocId* out) {
  return HWY_DYNAMIC_DISPATCH(keep_present_target)(present, first, in, count, out);
}

std::size_t drain(scoring::Score* sums, std::uint64_t groups, DocId first, scoring::Score least, Selection out) {
  return HWY_DYNAMIC_DISPATCH(drain_target)(sums, groups, first, least, out);
}

}  // namespace frond::leaf::cpu
#endif
