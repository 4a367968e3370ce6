#pragma once
// Queries from a file, in whichever form people keep them. Told apart by what is in the file, not by its name:
//   <top><num> Number: 301 <title> words …      TREC topics: the title is the query
//   <DOC><DOCNO> 1 </DOCNO> words </DOC>        the CACM collection's form: all the words
//   {"query": "words"} a line                   also "text", "title"; the id from "id", "_id" or "qid"
//   id⇥words a line                             the last column, where there are more than two
//   12:words a line                             numbered queries
//   words a line                                anything else: numbered from 1
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::tools {

struct Topic {
  std::string id;    // no white space
  std::string text;  // UTF-8 on one line; text that was not UTF-8 is taken to be Latin-1
};

// kInvalid names the line or the topic that is malformed, or says that there are none. Survives any bytes.
Result<std::vector<Topic>> parse_topics(std::string_view text);
// As parse_topics; kNotFound: the file can't be read. Errors name it.
Result<std::vector<Topic>> read_topics(const std::filesystem::path& file);

}  // namespace frond::tools
