#pragma once
// Queries from a file, in any of these forms, recognized by the contents, not by the file's name:
//   <top><num> Number: 301 <title> words …      TREC topics: the title is the query
//   <DOC><DOCNO> 1 </DOCNO> words </DOC>        the CACM collection's form: all the words
//   {"query": "words"} on each line             also "text", "title"; the id from "id", "_id" or "qid"
//   id⇥words on each line                       the last column, if there are more than two
//   12:words on each line                       numbered queries
//   words on each line                          anything else; numbered from 1
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::tools {

struct Topic {
  std::string id;    // no white space
  std::string text;  // UTF-8 on one line; text that is not UTF-8 is read as Latin-1
};

// kInvalid: a line or topic is malformed (the message names it), or there is no topic. Safe for any input bytes.
Result<std::vector<Topic>> parse_topics(std::string_view text);
// As parse_topics(); kNotFound if the file can't be read. Errors name the file.
Result<std::vector<Topic>> read_topics(const std::filesystem::path& file);

}  // namespace frond::tools
