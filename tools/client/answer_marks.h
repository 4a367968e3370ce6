#pragma once
// Counts what `frond load` reports of an answer, without parsing it: it looks at "hits", or "count", and the members
// before it. Text inside an answer cannot be mistaken for a member, since its quotation marks are escaped.
#include <cstdint>
#include <string_view>

namespace frond::tools {

struct AnswerMarks {
  std::uint64_t answered = 0;    // answers; the other lines are problem documents
  std::uint64_t cache_hits = 0;  // answers with "cache":"hit"
  std::uint64_t unsearched = 0;  // answers that name an unsearched partition
};

// `body`: one answer, or one per line (/v1/msearch).
AnswerMarks answer_marks(std::string_view body);

}  // namespace frond::tools
