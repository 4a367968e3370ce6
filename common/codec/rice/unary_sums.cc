#include "common/codec/bits/unary.h"

// Highway compiles what is between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once for each instruction set, by
// including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/codec/rice/unary_sums.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::codec::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void add_sums_target(const std::uint16_t* ones, std::uint32_t first, unsigned parameter, std::uint32_t* docids) {
  for (std::uint32_t i = 0; i < kBlockLength; ++i) docids[i] += (ones[i] - i - first) << parameter;
}
void add_parts_target(const std::uint16_t* ones, unsigned parameter, std::uint32_t* frequencies) {
  for (std::uint32_t i = 0; i < kBlockLength; ++i)
    frequencies[i] += std::uint32_t{static_cast<std::uint16_t>(ones[i] - *(ones + i - 1) - 1)} << parameter;
}

#else

#if HWY_HAVE_SCALABLE
using Words = hn::FixedTag<std::uint32_t, 4>;
#else
using Words = hn::CappedTag<std::uint32_t, 16>;
#endif
using Halves = hn::Rebind<std::uint16_t, Words>;

void add_sums_target(const std::uint16_t* ones, std::uint32_t first, unsigned parameter, std::uint32_t* docids) {
  const Words d;
  const Halves half;
  constexpr std::size_t kLanes = hn::MaxLanes(Words());
  auto before = hn::Iota(d, first);  // what is not a zero before a one
  for (std::size_t i = 0; i < kBlockLength; i += kLanes) {
    const auto zeros = hn::Sub(hn::PromoteTo(d, hn::LoadU(half, ones + i)), before);
    const auto sums = hn::ShiftLeftSame(zeros, static_cast<int>(parameter));
    hn::StoreU(hn::Add(hn::LoadU(d, docids + i), sums), d, docids + i);
    before = hn::Add(before, hn::Set(d, std::uint32_t{kLanes}));
  }
}
void add_parts_target(const std::uint16_t* ones, unsigned parameter, std::uint32_t* frequencies) {
  const Words d;
  const Halves half;
  constexpr std::size_t kLanes = hn::MaxLanes(Words());
  const auto one = hn::Set(half, std::uint16_t{1});
  for (std::size_t i = 0; i < kBlockLength; i += kLanes) {
    const auto zeros = hn::Sub(hn::Sub(hn::LoadU(half, ones + i), hn::LoadU(half, ones + i - 1)), one);
    const auto parts = hn::ShiftLeftSame(hn::PromoteTo(d, zeros), static_cast<int>(parameter));
    hn::StoreU(hn::Add(hn::LoadU(d, frequencies + i), parts), d, frequencies + i);
  }
}

#endif  // HWY_SCALAR

}  // namespace frond::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::codec {

HWY_EXPORT(add_sums_target);
HWY_EXPORT(add_parts_target);

void add_unary_sums(std::span<const std::uint16_t, kBlockLength> ones, std::uint32_t first, unsigned parameter,
                    std::span<std::uint32_t, kBlockLength> docids) {
  HWY_DYNAMIC_DISPATCH(add_sums_target)(ones.data(), first, parameter, docids.data());
}
void add_unary_parts(std::uint16_t* ones, std::uint32_t first, unsigned parameter,
                     std::span<std::uint32_t, kBlockLength> frequencies) {
  *(ones - 1) = static_cast<std::uint16_t>(first - 1);
  HWY_DYNAMIC_DISPATCH(add_parts_target)(ones, parameter, frequencies.data());
}

}  // namespace frond::codec
#endif  // HWY_ONCE
