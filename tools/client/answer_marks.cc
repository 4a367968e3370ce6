#include "tools/client/answer_marks.h"

#include <algorithm>

namespace frond::tools {

AnswerMarks answer_marks(std::string_view body) {
  AnswerMarks marks;
  while (!body.empty()) {
    const auto line = body.substr(0, body.find('\n'));
    const auto hits = std::min(line.find("\"hits\":"), line.find("\"count\":"));
    const auto head = line.substr(0, hits);
    marks.answered += hits != std::string_view::npos;
    marks.cache_hits += head.find("\"cache\":\"hit\"") != std::string_view::npos;
    marks.unsearched += head.find("\"degraded\":[{") != std::string_view::npos;
    body.remove_prefix(std::min(line.size() + 1, body.size()));
  }
  return marks;
}

}  // namespace frond::tools
