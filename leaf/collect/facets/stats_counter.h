#pragma once
// Sums, or just the numbers, of the values of documents.
#include <memory>

#include "leaf/collect/facets/facet_counters.h"
#include "leaf/engine/code_sums.h"

namespace frond::leaf::collect {

// Of kStats and kCount. Borrows both.
std::unique_ptr<FacetCounter> stats_counter(const query::Facet& facet, const partition::ValueColumn& column);

// Of kStats of such a column, but of no floats: what a device has summed up, if codes are those of whole_span().
void add_sums(const engine::CodeSums& sums, const partition::ValueColumn& column, query::FacetCounts& to);

}  // namespace frond::leaf::collect
