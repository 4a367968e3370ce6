#pragma once
// A threshold known before any document is evaluated, so that pruning starts at once.
#include <cstdint>

#include "leaf/cpu/term_reader.h"

namespace frond::leaf::cpu {

// A score that at least k documents reach by this term alone, so documents with lower scores can't be among the k best;
// 0: unknown. It comes from the deficits stored with the list if there are any for this k; otherwise the blocks with
// the highest bounds are scored.
// `hidden` documents, of which there may be none (null), do not count.
Score first_threshold(TermReader& term, std::uint32_t k, const partition::HiddenDocuments* hidden);

}  // namespace frond::leaf::cpu
