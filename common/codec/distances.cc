#include "common/codec/distances.h"

#include <algorithm>

#include "common/codec/bits/rice.h"

// Highway compiles what is between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once for each instruction set, by
// including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/codec/distances.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::codec::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <std::uint32_t kLess>
std::uint32_t add_up(std::uint32_t* block, DocId before) {
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < kBlockLength; ++i) {
    all |= block[i];
    block[i] = before += block[i] + kLess;
  }
  return all;
}
std::uint32_t add_one_target(std::uint32_t* block) {
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < kBlockLength; ++i) all |= block[i]++;
  return all;
}

#else

#if HWY_HAVE_SCALABLE
using Words = hn::FixedTag<std::uint32_t, 4>;
#else
using Words = hn::CappedTag<std::uint32_t, 16>;
#endif

// Adds to every lane of which the `bit` of its number is set the last lane without it: lane 3 to 4 .. 7, 11 to 12
// .. 15.
template <class V>
HWY_INLINE V add_halves(V value, std::uint32_t bit) {
  const Words d;
  const auto lane = hn::Iota(d, 0u), its_bit = hn::Set(d, bit);
  const auto from = hn::Or(hn::AndNot(its_bit, lane), hn::Set(d, bit - 1));
  const auto picked = hn::TableLookupLanes(value, hn::IndicesFromVec(d, from));
  return hn::Add(value, hn::IfThenElseZero(hn::Ne(hn::And(lane, its_bit), hn::Zero(d)), picked));
}

// One block's distances, each less kLess, to docIDs. Returns a number of as many bits as the greatest of them.
template <std::uint32_t kLess>
HWY_INLINE std::uint32_t add_up(std::uint32_t* block, DocId before) {
  const Words d;
  constexpr std::size_t kLanes = hn::MaxLanes(Words());
  [[maybe_unused]] const auto ordinals = hn::Iota(d, 1u);
  auto carry = hn::Set(d, before), all = hn::Zero(d);
  for (std::size_t i = 0; i < kBlockLength; i += kLanes) {
    auto sum = hn::LoadU(d, block + i);
    all = hn::Or(all, sum);
    sum = hn::Add(sum, hn::ShiftLeftLanes<1>(d, sum));
    sum = hn::Add(sum, hn::ShiftLeftLanes<2>(d, sum));
    if constexpr (kLanes > 4) sum = add_halves(sum, 4);
    if constexpr (kLanes > 8) sum = add_halves(sum, 8);
    if constexpr (kLess == 1) sum = hn::Add(sum, ordinals);
    hn::StoreU(hn::Add(sum, carry), d, block + i);
    // Only this addition waits for the vector before.
    if constexpr (kLanes > 4) {
      carry = hn::Add(carry, hn::TableLookupLanes(sum, hn::IndicesFromVec(d, hn::Set(d, std::uint32_t{kLanes} - 1))));
    } else {
      carry = hn::Add(carry, hn::Broadcast<3>(sum));
    }
  }
  return hn::GetLane(hn::MaxOfLanes(d, all));
}

// One block's stored numbers to frequencies. Returns all ones if a stored number is all ones; sometimes also if not.
std::uint32_t add_one_target(std::uint32_t* block) {
  const Words d;
  constexpr std::size_t kLanes = hn::MaxLanes(Words());
  const auto one = hn::Set(d, 1u);
  auto all = hn::Zero(d);
  for (std::size_t i = 0; i < kBlockLength; i += kLanes) {
    const auto stored = hn::LoadU(d, block + i);
    all = hn::Or(all, stored);
    hn::StoreU(hn::Add(stored, one), d, block + i);
  }
  return hn::GetLane(hn::MaxOfLanes(d, all));
}

#endif  // HWY_SCALAR

std::uint32_t add_up_target(std::uint32_t* block, DocId before) { return add_up<1>(block, before); }
std::uint32_t add_differences_target(std::uint32_t* block, DocId before) { return add_up<0>(block, before); }

}  // namespace frond::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::codec {

HWY_EXPORT(add_up_target);
HWY_EXPORT(add_differences_target);
HWY_EXPORT(add_one_target);

void to_distances(std::span<const std::uint32_t> numbers, Numbers kind, DocId before, std::uint32_t* distances) {
  if (kind == Numbers::kFrequencies) {
    for (const std::uint32_t number : numbers) *distances++ = number - 1;
    return;
  }
  for (const std::uint32_t number : numbers) {
    *distances++ = number - before - 1;
    before = number;
  }
}

bool from_distances(std::span<std::uint32_t> block, Numbers kind, DocId before) {
  if (block.size() == kBlockLength) return from_distances(block.first<kBlockLength>(), kBlockLength, kind, before);
  if (kind == Numbers::kFrequencies) {
    for (std::uint32_t& number : block) ++number;
    return std::find(block.begin(), block.end(), 0u) == block.end();
  }
  DocId last = before;
  for (std::uint32_t& number : block) number = last += number + 1;
  return ascend(before, block);
}

bool from_distances(std::span<std::uint32_t, kBlockLength> buffer, std::uint32_t size, Numbers kind, DocId before) {
  std::fill(buffer.begin() + size, buffer.end(), 0u);
  if (kind == Numbers::kFrequencies) {
    if (HWY_DYNAMIC_DISPATCH(add_one_target)(buffer.data()) != 0xffffffff) return true;
    return std::find(buffer.begin(), buffer.begin() + size, 0u) == buffer.begin() + size;
  }
  // 128 distances of 24 bits add up to less than 2^32: if any sum wraps around, the last one is not above `before`.
  if (HWY_DYNAMIC_DISPATCH(add_up_target)(buffer.data(), before) < 1u << 24)
    return before == kNoDoc || buffer[size - 1] > before;
  return ascend(before, buffer.first(size));
}

void add_differences(std::span<std::uint32_t, kBlockLength> block, DocId before) {
  HWY_DYNAMIC_DISPATCH(add_differences_target)(block.data(), before);
}

bool ascend(DocId before, std::span<const DocId> docids) {
  bool wrong = before != kNoDoc && docids[0] <= before;
  for (std::size_t i = 1; i < docids.size(); ++i) wrong |= docids[i] <= docids[i - 1];
  return !wrong;
}

bool numbers_from_differences(std::span<std::uint32_t, kBlockLength> differences, Numbers kind, DocId before,
                              unsigned width) {
  if (kind == Numbers::kFrequencies)
    return width < 32 || std::find(differences.begin(), differences.end(), 0u) == differences.end();
  add_differences(differences, before);
  // 128 differences of 2^24 add up to less than 2^32: if any sum wraps around, the last one is not above `before`.
  return width <= 24 ? before == kNoDoc || differences[kBlockLength - 1] > before : ascend(before, differences);
}

std::uint8_t encode_last_block(std::span<const std::uint32_t> distances, ByteBuffer& out) {
  const RiceChoice rice = choose_rice(distances);
  BitWriter bits(out);
  encode_rice(distances, rice.parameter, bits);
  return static_cast<std::uint8_t>(rice.parameter);
}

bool decode_last_block(ByteView payload, std::uint64_t begin, std::uint32_t parameter, Numbers kind, DocId before,
                       std::span<std::uint32_t, kBlockLength> out, std::uint32_t count) {
  if (parameter > 31 || begin > payload.size() || !decode_rice(payload.subspan(begin), 0, parameter, out.first(count)))
    return false;
  return from_distances(out, count, kind, before);
}

}  // namespace frond::codec
#endif
