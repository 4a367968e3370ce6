#pragma once
// Topics in JSON: an object on each line, or one value for the whole file: an array of objects, an object whose
// "topics" or "queries" is one, or an object of ids with words or objects.
//   id     "id", "_id", "qid", "query_id", "question_id", "number" …, text or number; else the line's or element's
//   number words  "title", "query", "text" or "question"; "query" counts before "title"
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "tools/topics/topics.h"

namespace frond::tools {

// Whether the first thing in the text is an object or array.
bool has_json_topics(std::string_view text);
// kInvalid as of parse_topics().
Result<std::vector<Topic>> parse_json_topics(std::string_view text, std::string_view field);

}  // namespace frond::tools
