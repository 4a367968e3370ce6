#pragma once
// A broker's answer to one search, as the tools read it.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace frond::tools {

struct AnswerHit {
  std::string id, title, url, snippet;
  std::string score;              // the number as written in the broker's JSON; empty: a sorted hit has none
  std::vector<std::string> sort;  // of a sorted search, its values; one that the document lacks is empty
};

// What was counted for a facet, as lines: a value, a range, "other", "missing", "min" …, and a number.
struct AnswerFacet {
  std::string name;
  std::vector<std::pair<std::string, std::string>> lines;
};

struct Answer {
  double took_ms = 0;
  std::uint64_t total = 0;
  bool total_exact = true;
  std::optional<std::uint64_t> all_words;  // mode auto: documents with all words, or at least so many
  bool all_words_exact = true;
  std::string cache;
  std::string did_you_mean;      // another query, where no document has some word; empty: none
  std::string empty_query;       // of a query without terms: stop_words or no_words
  std::uint64_t unsearched = 0;  // partitions without an answer
  std::vector<AnswerHit> hits;
  std::vector<AnswerFacet> facets;  // in the order in which the broker sends them
  std::string cursor;               // of a sorted search: the next page; empty: this is the last one
  std::vector<std::string> signs;   // of the query language that were taken as text, and what was expected
};

// What another status than 200 means: kInvalid (4xx) or kUnavailable, with the problem document's detail.
Error refusal(int status, std::string_view body);
// Parses an answer from a reply's status and body. Errors: refusal(); kCorrupt, naming the missing member.
Result<Answer> parse_answer(int status, std::string_view body);

// "at least 1000 documents, 12 with all words, in 1.5 ms, from the cache; 1 partition did not answer".
std::string summary(const Answer& answer);

// The facets as tables for a terminal, an empty line before each.
std::string facet_tables(const std::vector<AnswerFacet>& facets);

// Makes untrusted text safe for a terminal or a line of output: control characters become spaces.
std::string printable(std::string_view text);
// The same for a snippet's HTML. <mark> becomes `on`, </mark> becomes `off`, character references become characters.
std::string printable_snippet(std::string_view html, std::string_view on, std::string_view off);

// Counts what `frond load` reports of an answer, without parsing it: it looks at "hits", or "count", and the members
// before it. Text inside an answer cannot be mistaken for a member, since its quotation marks are escaped.
struct AnswerMarks {
  std::uint64_t answered = 0;    // answers; the other lines are problem documents
  std::uint64_t cache_hits = 0;  // answers with "cache":"hit"
  std::uint64_t unsearched = 0;  // answers that name an unsearched partition
};

// `body`: one answer, or one per line (/v1/msearch).
AnswerMarks answer_marks(std::string_view body);

}  // namespace frond::tools
