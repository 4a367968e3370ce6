#pragma once
// A search as spans of its request's trace (span_export.h): what it waited for, and where. Pure functions.
#include <cstdint>
#include <vector>

#include "broker/http/monitoring/span_export.h"
#include "broker/merge/merge.h"

namespace frond::broker::http {

// An evaluation that ended now: itself, its two trips to leaves, and of those that answered, at most kMostLeaves, the
// slowest first, the longest wait and the longest work of a partition. Leaves say how long these took, not when: they
// are put into the middle of the trip.
std::vector<Span> evaluation_spans(const merge::Page& page, std::uint64_t parent, Instant begun, Instant now);

}  // namespace frond::broker::http
