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
  std::uint64_t degraded = 0;  // partitions that did not answer
  std::vector<AnswerHit> hits;
};

// The body of a reply with `status`. An error status becomes kInvalid (4xx) or kUnavailable, with the problem
// document's detail; kCorrupt names the member that is missing.
Result<Answer> parse_answer(int status, std::string_view body);

// Foreign text for a terminal or a line of output: control characters become spaces.
std::string printable(std::string_view text);
// A snippet's HTML as such text: <mark> becomes `on`, </mark> `off`, and character references what they stand for.
std::string printable_snippet(std::string_view html, std::string_view on, std::string_view off);

}  // namespace frond::tools
