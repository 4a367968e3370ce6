#pragma once
// Queries from a file, in any of these forms, recognized by the contents, not by the file's name:
//   <top><num> Number: 301 <title> words …       TREC's topics; topic_forms.h says what else has tags
//   {"query": "words"} on each line              JSON; topic_forms.h says which members, arrays and objects
//   .I 1 / .W / words                            SMART's form, as CISI and Cranfield have it: .W, else .T
//   id⇥words on each line                        the last column, if there are more than two
//   12:words on each line                        numbered queries
//   words on each line                           anything else; numbered from 1
// Nothing is guessed: what has tags, JSON or columns, but not in a form above, is refused, and so are a run, judgments,
// CSV, UTF-16 and bytes that are no text. gzip is decompressed; other compression is refused by name.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::tools {

struct Topic {
  std::string id;    // not empty, no white space: it becomes '_'
  std::string text;  // not empty, UTF-8 on one line; text that is not UTF-8 is read as Latin-1
};

// For the help of flags.
inline constexpr const char* kTopicForms =
    "id<TAB>text, number:text, JSON, TREC's <top>, <topic> or <DOC>, SMART's .I .W, or words on each line; or gzip of "
    "it";

// Of one file, decompressed; a longer one is refused.
inline constexpr std::size_t kMaxTopicBytes = std::size_t{256} << 20;

// `field`: the element or member that is the query, in any case of letters; empty: the usual ones. Only for forms that
// have names. kInvalid: not a form above, or a topic without id or words; the message names the line or the topic, and
// what it has instead. Safe for any input bytes.
Result<std::vector<Topic>> parse_topics(std::string_view text, std::string_view field = {});
// As parse_topics(), of a file, a pipe that the shell passes, or /dev/stdin. kNotFound; kUnavailable: it can't be read.
// Errors name the file.
Result<std::vector<Topic>> read_topics(const std::filesystem::path& file, std::string_view field = {});
// The file's content for parse_topics(): decompressed if it is gzip. kInvalid: more than kMaxTopicBytes; kCorrupt: the
// gzip stream is damaged or cut.
Result<std::string> read_topic_file(const std::filesystem::path& file);
// kInvalid: two topics have one id, which names its lines in a run file.
Result<void> check_distinct_ids(const std::vector<Topic>& topics);

}  // namespace frond::tools
