#pragma once
// Which terms of a generation's dictionary are like a word: one walk over the terms that begin as wanted, which leaps
// over those whose beginning is too far away already.
#include <cstddef>
#include <functional>

#include "common/base/result.h"
#include "common/partition/terms/term_statistics.h"
#include "common/query/near_words.h"
#include "common/schema/schema.h"

namespace frond::leaf::clauses {

// Looks at as many terms as are left at most, and takes those off: NearTerms::whole says whether these were all.
// `is_over`: whether the time is over. kInvalid: the field is no text with lists of its own; kDeadline; kCorrupt,
// kUnavailable of the dictionary.
Result<query::NearTerms> near_terms(const query::NearWord& asked, const schema::Schema& schema,
                                    const partition::GenerationTerms& dictionary, std::size_t& looks_left,
                                    const std::function<bool()>& is_over);

}  // namespace frond::leaf::clauses
