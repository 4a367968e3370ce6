#pragma once
// Topics that have tags, of any case of letters: XML, and TREC's SGML, which may leave out what closes an element.
//   a topic    <top>, else <topic>, else <DOC>, else <query>; must be closed; between topics there are tags only
//   its id     an attribute of that (number, id, …), else <num>, <number>, <docno>, <identifier> …; "Number:" is cut
//   off its words  <title>, else <query>, <text>, <question>, of <top> without "Topic:"; of <DOC> all but <docno>; a
//   topic
//              without elements is words itself. Markup inside is left out, references are replaced
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "tools/topics/topics.h"

namespace frond::tools {

// Whether the file begins with a tag, or one of the topics' own begins a line.
bool has_topic_elements(std::string_view text);
// kInvalid as of parse_topics(). Takes time in proportion to the text.
Result<std::vector<Topic>> parse_topic_elements(std::string_view text, std::string_view field);

}  // namespace frond::tools
