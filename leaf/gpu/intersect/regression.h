#pragma once
// The regression line of a list, from a docID to its approximate position (plain_search.h, RegressionBounds).
#include <span>

#include "leaf/gpu/intersect/list_view.h"

namespace frond::leaf::gpu::intersect {

// Least squares over position and docID. Sets slope, offset, left and right of the view. At least one docID; they
// ascend strictly.
void fit_regression(std::span<const DocId> docids, ListView& view);

}  // namespace frond::leaf::gpu::intersect
