#pragma once
// A threshold before the first document is looked at: with it a disjunction prunes from its first window on.
#include <cstdint>

#include "leaf/cpu/term_reader.h"

namespace frond::leaf::cpu {

// A score that at least k documents of the term's list reach by this term alone, so that no document of a lower score
// can be among the k best; 0 if there is none to tell. From the list's best deficits where they are stored; else the
// few blocks with the highest bounds are scored.
Score first_threshold(TermReader& term, std::uint32_t k);

}  // namespace frond::leaf::cpu
