#pragma once
// Where a text has some terms of the analyzers standard2 and standard3, without cutting all of it into spans
// (term_spans.h). Part of find_terms().
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/text/term_matches.h"

namespace frond::text {

// The spans of `text` whose term is one of `terms`, those of one place together; they may overlap, as those of
// Analyzer::analyze() do. nullopt: all of the text must be cut, since it is not known how the spans of these terms
// begin or there are too many beginnings.
std::optional<std::vector<TermMatch>> find_spans(Analyzer& analyzer, std::string_view text,
                                                 std::span<const std::string_view> terms);

}  // namespace frond::text
