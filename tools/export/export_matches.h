#pragma once
// All matches of a query, page by page behind the broker's cursor, so that neither the broker nor this process holds
// more than a page. Blocks; one thread.
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "common/base/result.h"
#include "tools/client/broker_client.h"
#include "tools/commands/commands.h"
#include "tools/commands/output_file.h"
#include "tools/export/match_text.h"

namespace frond::tools {

struct ExportOptions {
  QueryFlags query;  // `fields` as the broker is asked for them; `k` is the most hits of a page
  std::string words, sort = "_order";
  unsigned retries = 8;  // of one page; a page with fewer hits instead is none, but for one of 429, 502 or 503
};

// What happens meanwhile.
struct ExportEvents {
  std::function<void(std::chrono::milliseconds)> wait;                       // sleeps so long
  std::function<void(const std::string& why)> retried;                       // before it waits
  std::function<void(std::uint64_t written, std::uint64_t total)> progress;  // after each page
};

// Writes all matches, and gives their number. An answer of 429, 502, 503 or 504, and once the broker has answered also
// a connection that fails, is asked for again, after Retry-After or up to 8 s. After one of 504, or too large for
// ReplyReader, pages have half as many hits, and grow slowly from there; after others from the second one on, since
// leaves refuse documents that are too large for one reply as if they were busy. Partial answers are not taken. Errors
// say how many matches were written before: those of the broker's refusal, kInvalid where the generation is gone;
// kCorrupt: the answer is none, or cursors lead nowhere. The caller finishes `output`.
Result<std::uint64_t> export_matches(BrokerClient& broker, const ExportOptions& options, const MatchText& text,
                                     const ExportEvents& events, OutputFile& output);

}  // namespace frond::tools
