#pragma once
// The regression line of a list, turned round: from a docID to about its position (plain_search.h, RegressionBounds).
#include <span>

#include "leaf/gpu/intersect/list_view.h"

namespace frond::leaf::gpu::intersect {

// Least squares over position and docID; fills slope, offset, left and right of the view. docIDs ascend strictly; at
// least one.
void fit_regression(std::span<const DocId> docids, ListView& view);

}  // namespace frond::leaf::gpu::intersect
