#pragma once
// A broker's answer to one search, as the tools read it.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::tools {

struct AnswerHit {
  std::string id, title, url, snippet;
  std::string score;  // as the broker's JSON has the number
};

struct Answer {
  double took_ms = 0;
  std::uint64_t total = 0;
  bool total_exact = true;
  std::string cache;
  std::uint64_t unsearched = 0;  // partitions without an answer
  std::vector<AnswerHit> hits;
};

// From a reply's status and body. Errors: kInvalid (4xx) or kUnavailable (other statuses but 200), with the problem
// document's detail; kCorrupt, naming the member that is missing.
Result<Answer> parse_answer(int status, std::string_view body);

// Text from elsewhere, safe for a terminal or a line of output: control characters become spaces.
std::string printable(std::string_view text);
// The same of a snippet's HTML: <mark> becomes `on`, </mark> becomes `off`, character references become characters.
std::string printable_snippet(std::string_view html, std::string_view on, std::string_view off);

}  // namespace frond::tools
