#pragma once
// Sums, or just the numbers, of the values of documents.
#include <memory>

#include "leaf/collect/facet_counters.h"

namespace frond::leaf::collect {

// Of kStats and kCount. Borrows both.
std::unique_ptr<FacetCounter> stats_counter(const query::Facet& facet, const partition::ValueColumn& column);

}  // namespace frond::leaf::collect
