#include "leaf/gpu/intersect/regression.h"

#include <algorithm>

#include "leaf/gpu/intersect/plain_search.h"

namespace frond::leaf::gpu::intersect {

void fit_regression(std::span<const DocId> docids, ListView& view) {
  const auto count = static_cast<double>(docids.size());
  double mean = 0, products = 0, squares = 0;
  for (const DocId docid : docids) mean += docid / count;
  const double middle = (count - 1) / 2;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const double from_middle = static_cast<double>(i) - middle;
    products += from_middle * (docids[i] - mean);
    squares += from_middle * from_middle;
  }
  // At most 1, since docIDs ascend by at least 1.
  const double slope = docids.size() == 1 ? 0 : std::min(1.0, squares / products);
  const double unit = static_cast<double>(1u << kInverseFraction);
  view.slope = static_cast<std::uint64_t>(slope * unit);
  view.offset = static_cast<std::int64_t>((middle - mean * slope) * unit);
  std::int64_t left = 0, right = 0;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const std::int64_t behind = RegressionBounds::position_of(view, docids[i]) - static_cast<std::int64_t>(i);
    left = std::max(left, behind);
    right = std::max(right, -behind);
  }
  // An error beyond the list's length allows the whole list, so 32 bits are enough.
  view.left = static_cast<std::uint32_t>(std::min<std::int64_t>(left, 0xffffffff));
  view.right = static_cast<std::uint32_t>(std::min<std::int64_t>(right, 0xffffffff));
}

}  // namespace frond::leaf::gpu::intersect
