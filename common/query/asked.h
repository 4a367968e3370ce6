#pragma once
// What a clause asks of a collection, whose analyzers say which texts have terms. One thread, as analyzers are.
#include <functional>
#include <optional>
#include <string>

#include "common/query/clause.h"
#include "common/text/analyzer.h"

namespace frond::query {

// The analyzer of what is written for a text field; of "" and of a field of weights that of all text.
using AnalyzerOf = std::function<text::Analyzer&(const std::string& field)>;

// A clause from bind() without the texts that have no term, such as stop words alone: they ask for nothing and are left
// out of what contains them, which asks for nothing itself if nothing else was in it. Of optional clauses as many are
// needed as before, but no more than are left; and one of them, where all that was required is left out. Empty: the
// whole clause asks for nothing.
std::optional<Clause> asked(Clause bound, const AnalyzerOf& analyzer_of);

}  // namespace frond::query
