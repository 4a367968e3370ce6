// Any bytes from a broker's socket, in pieces of any size: whole replies, a refusal, or a wait for more. Whole replies
// are then skimmed, parsed as answers, and exported.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "tools/client/answer.h"
#include "tools/client/reply_reader.h"
#include "tools/export/match_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond::tools;
  if (size == 0) return 0;
  const std::size_t piece = std::size_t{data[0]} + 1;
  ReplyReader reader;
  for (std::size_t at = 1; at < size;) {
    const auto count = std::min(piece, size - at);
    std::memcpy(reader.room(count), data + at, count);
    reader.received(count);
    at += count;
    for (;;) {
      const auto reply = reader.next();
      if (!reply) return 0;
      if (!*reply) break;
      answer_marks((*reply)->body);
      if (const auto answer = parse_answer((*reply)->status, (*reply)->body)) facet_tables(answer->facets);
      for (const auto format : {MatchFormat::kCsv, MatchFormat::kJsonLines}) {
        std::string rows;
        (void)MatchText(format, {"id", "title"}, true).append((*reply)->body, rows);
      }
    }
  }
  return 0;
}
