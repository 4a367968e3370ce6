#include "common/codec/lines/line.h"

#include <algorithm>
#include <array>

#include "common/codec/bits/packed_number.h"
#include "common/codec/bits/rice.h"
#include "common/codec/bits/vertical.h"
#include "common/codec/distances.h"

// Highway compiles what is between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once for each instruction set, by
// including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/codec/lines/line.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace frond::codec::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Adds to number i of a block `base` and (product + i * slope) >> fraction. Returns whether the sums ascend strictly.
#if HWY_TARGET == HWY_SCALAR

bool add_line_target(std::uint64_t product, std::uint64_t slope, unsigned fraction, std::uint32_t base,
                     std::uint32_t* block) {
  bool ascending = true;
  for (std::size_t i = 0; i < kBlockLength; ++i, product += slope) {
    block[i] += base + static_cast<std::uint32_t>(product >> fraction);
    ascending &= i == 0 || block[i - 1] < block[i];
  }
  return ascending;
}

#else

#if HWY_HAVE_SCALABLE
using Products = hn::FixedTag<std::uint64_t, 2>;
#else
using Products = hn::CappedTag<std::uint64_t, 8>;
#endif

bool add_line_target(std::uint64_t product, std::uint64_t slope, unsigned fraction, std::uint32_t base,
                     std::uint32_t* block) {
  const Products wide;
  const hn::Repartition<std::uint32_t, Products> d;
  constexpr std::size_t kWide = hn::MaxLanes(Products()), kLanes = 2 * kWide;
  HWY_ALIGN std::uint64_t first[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) first[i] = product + slope * i;
  auto low = hn::Load(wide, first), high = hn::Load(wide, first + kWide);
  const auto step = hn::Set(wide, slope * kLanes);
  const auto bases = hn::Set(d, base);
  for (std::size_t i = 0; i < kBlockLength; i += kLanes) {
    const auto low_values = hn::BitCast(d, hn::ShiftRightSame(low, static_cast<int>(fraction)));
    const auto high_values = hn::BitCast(d, hn::ShiftRightSame(high, static_cast<int>(fraction)));
    const auto values = hn::ConcatEven(d, high_values, low_values);
    hn::StoreU(hn::Add(hn::Add(hn::LoadU(d, block + i), bases), values), d, block + i);
    low = hn::Add(low, step);
    high = hn::Add(high, step);
  }
  auto ascending = hn::Lt(hn::LoadU(d, block + kBlockLength - kLanes - 1), hn::LoadU(d, block + kBlockLength - kLanes));
  for (std::size_t i = 0; i + kLanes < kBlockLength; i += kLanes)
    ascending = hn::And(ascending, hn::Lt(hn::LoadU(d, block + i), hn::LoadU(d, block + i + 1)));
  return hn::AllTrue(d, ascending);
}

#endif  // HWY_SCALAR

}  // namespace frond::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace frond::codec {

HWY_EXPORT(add_line_target);

Fit fit_to(Line line, std::uint64_t position, std::span<const DocId> docids) {
  std::int64_t least = docids[0], greatest = docids[0];
  const auto origin = static_cast<std::int64_t>(line(position));
  std::uint64_t product = line.slope * position;
  for (const DocId docid : docids) {
    const std::int64_t deviation = std::int64_t{docid} - (static_cast<std::int64_t>(product >> line.fraction) - origin);
    least = std::min(least, deviation);
    greatest = std::max(greatest, deviation);
    product += line.slope;
  }
  return {line, position, least, static_cast<std::uint64_t>(greatest - least)};
}

Fit narrowest(std::span<const DocId> docids, unsigned fraction, std::uint64_t max_slope) {
  if (docids.size() == 1) return fit_to({0, fraction}, 0, docids);
  const std::uint64_t steps = docids.size() - 1, rise = docids.back() - docids.front();
  Fit best = fit_to({std::min((rise << fraction) / steps, max_slope), fraction}, 0, docids);
  if (best.spread >> 31 != 0) return best;  // no line helps here, and products below would wrap around
  // Changing the slope by x moves the last deviation by x times the steps, so the spread becomes at least that less the
  // first spread. The best slope is thus at most twice the first spread away, in units of one spread over all steps.
  const std::uint64_t first = best.line.slope, unit = (best.spread << fraction) / steps, reach = 2 * unit + 1;
  std::uint64_t low = first - std::min(reach, first), high = first + std::min(reach, max_slope - first);
  // The spread is a convex function of the slope. The search ends where the rest of the range changes it by 2 %.
  while (high - low > 2 && high - low > unit / 50) {
    const std::uint64_t third = (high - low) / 3;
    const Fit left = fit_to({low + third, fraction}, 0, docids), right = fit_to({high - third, fraction}, 0, docids);
    for (const Fit& fit : {left, right})
      if (fit.spread < best.spread) best = fit;
    if (left.spread <= right.spread) high -= third;
    if (left.spread >= right.spread) low += third;
  }
  return best;
}

void pack_deviations(std::span<const std::uint32_t> deviations, unsigned width, ByteBuffer& out) {
  if (deviations.size() == kBlockLength) return simd_bp_pack(deviations.first<kBlockLength>(), width, out);
  BitWriter bits(out);
  for (const std::uint32_t deviation : deviations) bits.put(deviation, width);
}

void append_deviations(const Fit& fit, std::span<const DocId> docids, unsigned width, ByteBuffer& out) {
  std::array<std::uint32_t, kBlockLength> deviations;
  const auto offset = static_cast<std::uint32_t>(fit.base) - static_cast<std::uint32_t>(fit.line(fit.position));
  for (std::size_t first = 0; first < docids.size(); first += kBlockLength) {
    const auto some = docids.subspan(first, std::min<std::size_t>(kBlockLength, docids.size() - first));
    for (std::size_t i = 0; i < some.size(); ++i)
      deviations[i] = some[i] - offset - static_cast<std::uint32_t>(fit.line(fit.position + first + i));
    pack_deviations(std::span(deviations).first(some.size()), width, out);
  }
}

bool add_line(Line line, std::uint64_t position, std::uint32_t offset, std::span<std::uint32_t, kBlockLength> block) {
  return HWY_DYNAMIC_DISPATCH(add_line_target)(line.slope * position, line.slope, line.fraction, offset, block.data());
}

bool docids_beside(Line line, std::uint64_t position, std::uint32_t offset, const std::byte* in, unsigned width,
                   std::uint32_t size, DocId before, std::span<std::uint32_t, kBlockLength> out) {
  if (size == kBlockLength) {
    unpack_table().frequencies[width](in, 0, out.data());  // one more than what is stored
    if (!add_line(line, position, offset - 1, out)) return false;
    return before == kNoDoc || out[0] > before;
  }
  for (std::uint32_t i = 0, bit = 0; i < size; ++i, bit += width) {
    out[i] = offset + bits_at(in, bit, width) + static_cast<std::uint32_t>(line(position + i));
  }
  return ascend(before, out.first(size));
}

}  // namespace frond::codec
#endif  // HWY_ONCE
