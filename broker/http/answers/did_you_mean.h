#pragma once
// Words of a search that no document has, and what is like them. Pure functions.
#include <span>
#include <string>
#include <vector>

#include "broker/http/search/question.h"

namespace frond::broker::http {

// What leaves are to look for: the terms of three letters or more, as many as a search may ask for.
std::vector<frond::query::NearWord> absent_words(std::span<const wire::QueryTerm> terms);

// `,"did_you_mean":{"q":…,"words":[…]}`. With parameters.did_you_mean: of the words that no document has, while some
// term is like them; `q` is the text with the nearest, then most frequent one in the place of each. Else of all of
// parameters.near, as leaves have said. Empty: there is nothing to say.
std::string render_near(const Question& question, const merge::Page& page);

}  // namespace frond::broker::http
