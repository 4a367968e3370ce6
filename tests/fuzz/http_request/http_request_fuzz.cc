// Any bytes on a connection, cut anywhere: the request parser, and the query string of what it takes for a request.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/check.h"
#include "common/http/request_parser.h"

using frond::http::RequestParser;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = data[0] + std::size_t{1};  // bytes that arrive at a time
  const std::string_view all(reinterpret_cast<const char*>(data + 1), size - 1);
  RequestParser parser({.max_header = 2048, .max_body = 4096});
  for (std::size_t used = 0, have = 0; used < all.size();) {
    const auto progress = parser.feed(all.substr(used, have - used));
    FROND_CHECK(progress.used <= have - used);
    used += progress.used;
    if (progress.state == RequestParser::State::kFailed) {
      FROND_CHECK(parser.failure().status >= 400);
      break;
    }
    if (progress.state == RequestParser::State::kDone) {
      parser.keep_alive();
      const auto request = parser.take();
      FROND_CHECK(request.body.size() <= 4096);
      FROND_CHECK(request.path.starts_with('/') || request.path == "*");
      if (const auto pairs = frond::http::parse_query(request.query))
        FROND_CHECK(pairs->size() <= request.query.size());
      continue;
    }
    parser.take_expect_continue();
    if (have == all.size()) break;
    have = std::min(all.size(), have + piece);
  }
  (void)frond::http::parse_query(all);
  return 0;
}
