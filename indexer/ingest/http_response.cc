#include "indexer/ingest/http_response.h"

#include <charconv>

#include "indexer/ingest/header_fields.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

constexpr int kMaxInterim = 4;

// "HTTP/1.1 200 OK"; 0: no status line.
int status_of(std::string_view line) {
  if (!line.starts_with("HTTP/")) return 0;
  line.remove_prefix(std::min(line.find(' '), line.size()));
  line = without_spaces(line);
  int status = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + std::min<std::size_t>(3, line.size()), status);
  return error == std::errc() && end == line.data() + 3 && status >= 100 ? status : 0;
}

}  // namespace

std::optional<HttpResponse> http_response(std::string_view text) {
  HttpResponse response;
  for (int i = 0; i <= kMaxInterim; ++i) {
    std::string_view rest = text.substr(response.head_bytes);
    response.status = status_of(take_line(rest));
    if (response.status == 0) return std::nullopt;
    // A head without fields ends at once.
    const bool bare = rest.starts_with('\n') || rest.starts_with("\r\n");
    const std::size_t end = bare ? rest.find('\n') + 1 : head_end(rest);
    if (end == rest.npos) return std::nullopt;
    const HeaderFields fields = HeaderFields::parse(rest.substr(0, end));
    response.head_bytes = text.size() - rest.size() + end;
    if (response.status < 200) continue;
    response.type = media_type(fields.value("Content-Type"));
    response.codings_known = add_codings(fields.value("Transfer-Encoding"), response.codings) &&
                             add_codings(fields.value("Content-Encoding"), response.codings);
    return response;
  }
  return std::nullopt;
}

}  // namespace frond::indexer::ingest
