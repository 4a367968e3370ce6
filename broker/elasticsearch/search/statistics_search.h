#pragma once
// The searches that say what statistics lack, and what is read from their answers. Pure functions.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/elasticsearch/queries/query_dsl.h"
#include "broker/http/answers/answer.h"
#include "broker/http/search/search_parameters.h"

namespace frond::broker::elasticsearch {

http::SearchParameters search_for(const Statistics::Key& key);
// Of its answer. Gives a number that is right as long as the generation is served. 501: too many values.
Expected<std::optional<std::uint64_t>> take_answer(const http::Answer& found, const Statistics::Key& key,
                                                   Statistics& statistics);

http::SearchParameters search_for(const std::vector<query::NearWord>& words);
// 503: no leaf has said.
Expected<void> take_answer(const http::Answer& found, const std::vector<query::NearWord>& words,
                           Statistics& statistics);

}  // namespace frond::broker::elasticsearch
