#pragma once
// What `frond load` wants to know of an answer, found without parsing it: "hits" and the members before it in each
// answer of the body. Text inside an answer can't be mistaken for them: its quotation marks are escaped.
#include <cstdint>
#include <string_view>

namespace frond::tools {

struct AnswerMarks {
  std::uint64_t answered = 0;    // lines with hits, if none; the others are problem documents
  std::uint64_t cache_hits = 0;  // answers with "cache":"hit"
  std::uint64_t degraded = 0;    // answers that name a partition which did not answer
};

// `body`: one answer, or an answer a line (/v1/msearch).
AnswerMarks answer_marks(std::string_view body);

}  // namespace frond::tools
