#pragma once
// Whether one value matches.
#include <algorithm>
#include <string>

#include "common/query/clause.h"
#include "common/schema/value.h"
#include "leaf/clauses/resolve/wildcard.h"

namespace frond::leaf::clauses {

// `leaf`: of a ColumnNode.
inline bool has_value(const query::Clause& leaf, const schema::Value& value) {
  if (const auto* terms = leaf.as<query::Terms>())
    return std::ranges::find(terms->values, value) != terms->values.end();
  if (const auto* range = leaf.as<query::Range>()) {
    const bool above =
        !range->from || range->from->value < value || (range->from->inclusive && range->from->value == value);
    return above && (!range->to || value < range->to->value || (range->to->inclusive && range->to->value == value));
  }
  if (const auto* prefix = leaf.as<query::Prefix>()) return std::get<std::string>(value).starts_with(prefix->text);
  if (const auto* wildcard = leaf.as<query::Wildcard>())
    return WildcardPattern(wildcard->pattern).matches(std::get<std::string>(value));
  return true;
}

}  // namespace frond::leaf::clauses
