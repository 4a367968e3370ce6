#pragma once
// What a device is given of a phrase, of the sequences of words that it looks for it in, and of fields.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/partition/values/stored_sequences.h"
#include "leaf/clauses/resolve/resolved_query.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::clauses {

// As PlanPhrase has them. Null: there are none, or more bytes than 32 bits can count. Borrows them. Short.
std::shared_ptr<const engine::DocumentCodes> device_sequences(const partition::StoredSequences* sequences);

// Of a text field, by document. Null: there are none.
std::shared_ptr<const engine::DocumentCodes> device_lengths(std::shared_ptr<const std::vector<std::uint32_t>> lengths);
// PlanTerm::field: adds the field to the plan if it is not there. Its lengths are missing then.
std::uint32_t add_field(const ResolvedQuery& query, std::uint32_t field, engine::Plan& plan);

// All but its factor, field, sequences and bounds. The terms of the plan are `terms` of the query, in their order, and
// have all words.
engine::PlanPhrase device_phrase(const ResolvedQuery& query, const PhraseNode& phrase,
                                 std::span<const ListNumber> terms);

}  // namespace frond::leaf::clauses
