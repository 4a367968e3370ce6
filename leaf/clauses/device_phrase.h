#pragma once
// What a device is given of a phrase, and of the sequences of words that it looks for it in.
#include <cstdint>
#include <memory>
#include <span>

#include "common/partition/values/stored_sequences.h"
#include "leaf/clauses/resolved_query.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::clauses {

// As PlanPhrase has them. Null: there are none, or more bytes than 32 bits can count. Borrows them. Short.
std::shared_ptr<const engine::DocumentCodes> device_sequences(const partition::StoredSequences* sequences);

// All but its sequences and bounds. The terms of the plan are `terms` of the query, in their order, and have all words.
engine::PlanPhrase device_phrase(const ResolvedQuery& query, const PhraseNode& phrase,
                                 std::span<const ListNumber> terms);

}  // namespace frond::leaf::clauses
