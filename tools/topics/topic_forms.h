#pragma once
// The forms of topics (topics.h), and what they share: texts on one line, names of members, tags.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/text.h"
#include "tools/topics/topics.h"

namespace frond::tools {

Error invalid(std::string what);  // kInvalid

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
std::string_view trimmed(std::string_view text);
// Runs of white space and control characters become one space; none at the ends. Not UTF-8: read as Latin-1.
std::string one_line(std::string_view text);
// A topic of a text that may be on several lines; `place` ("topic 3", "line 7") is for the error: one of both is empty.
Result<Topic> topic_of(std::string_view id, std::string_view text, const std::string& place);
// "line 12": of the byte at `at`.
std::string line_of(std::string_view text, std::size_t at);

// Names of elements and members, in lower case, the better ones first.
std::span<const std::string_view> id_names();
std::span<const std::string_view> query_names();

// Tags in a text that is nearly XML.
struct Tag {
  std::string name;  // in lower case; empty: a comment, a declaration or an instruction
  std::string_view attributes;
  bool closes = false;
  std::size_t begin = 0, end = 0;  // of the text
};

// The first tag that begins at `from` or behind it. "<" before anything but a letter, '/', '!' and '?' is text.
std::optional<Tag> next_tag(std::string_view text, std::size_t from);
// Calls visit(const Tag&) for every tag, until a call gives false.
template <class Visit>
void for_each_tag(std::string_view text, Visit&& visit) {
  for (auto tag = next_tag(text, 0); tag && visit(*tag); tag = next_tag(text, tag->end)) {
  }
}
// The value of name="value", in any case of letters; quotes may be missing.
std::optional<std::string_view> attribute(std::string_view attributes, std::string_view name);
// The text without tags, with CDATA sections and references to characters replaced; unknown references stay.
std::string without_tags(std::string_view text);

// Topics that have tags, of any case of letters: XML, and TREC's SGML, which may leave out what closes an element.
//   a topic    <top>, else <topic>, else <DOC>, else <query>; must be closed; between topics there are tags only
//   its id     an attribute of that (number, id, …), else <num>, <number>, <docno>, <identifier> …; "Number:" is cut
//              off
//   its words  <title>, else <query>, <text>, <question>, of <top> without "Topic:"; of <DOC> all but <docno>; a topic
//              without elements is words itself. Markup inside is left out, references are replaced

// Whether the file begins with a tag, or one of the topics' own begins a line.
bool has_topic_elements(std::string_view text);
// kInvalid as of parse_topics(). Takes time in proportion to the text.
Result<std::vector<Topic>> parse_topic_elements(std::string_view text, std::string_view field);

// Topics in JSON: an object on each line, or one value for the whole file: an array of objects, an object whose
// "topics" or "queries" is one, or an object of ids with words or objects.
//   id     "id", "_id", "qid", "query_id", "question_id", "number" …, text or number; else the line's or element's
//          number
//   words  "title", "query", "text" or "question"; "query" counts before "title"

// Whether the first thing in the text is an object or array.
bool has_json_topics(std::string_view text);
// kInvalid as of parse_topics().
Result<std::vector<Topic>> parse_json_topics(std::string_view text, std::string_view field);

}  // namespace frond::tools
