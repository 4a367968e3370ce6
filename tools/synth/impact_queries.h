#pragma once
// Queries on a made-up collection of learned sparse vectors (Profile::impacts): tens of terms, each with a weight.
//
// The lists are those of the whole vocabulary, the longest first. A query has a subject, one of the collection's runs
// (document_model.h). It asks for frequent terms more often, by the square root of their lists' lengths, and for those
// that the documents of its subject have more often than others do.
#include <cstddef>
#include <cstdint>

#include "tools/synth/query_model.h"

namespace frond::tools::synth {

// As draw_queries(), of a profile with impacts; documents: not 0.
QuerySet draw_impact_queries(const Profile& profile, std::uint32_t documents, std::size_t count, std::uint64_t seed);

}  // namespace frond::tools::synth
