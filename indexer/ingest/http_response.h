#pragma once
// An HTTP response as WARC records and TREC's web collections hold it: its head, as far as the reader of its page needs
// it (RFC 9112).
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/ingest/content_coding.h"
#include "indexer/ingest/media_type.h"

namespace frond::indexer::ingest {

struct HttpResponse {
  std::size_t head_bytes = 0;  // up to the body
  int status = 0;
  MediaType type;  // views of the head
  std::vector<Coding> codings;
  bool codings_known = true;  // false: the body has a coding that is not read
};

// A response that begins with its status line. Heads of interim responses (status 1xx) before it count to its head. No
// value: `text` does not begin with a response, or its head has no end.
std::optional<HttpResponse> http_response(std::string_view text);

}  // namespace frond::indexer::ingest
